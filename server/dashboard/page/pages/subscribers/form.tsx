import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { bodyOf, draftOf, isComplete, subscriberInputs } from "./draft.ts";
import { HeadersInput, Input } from "./inputs.tsx";
import { SecretReady } from "./secret-ready.tsx";
import type { Subscriber } from "./subscriber.ts";

/** The form for a new subscriber, which then shows its secret once, or for changes to one. */
export function SubscriberForm({ subscriber, onClose }: { subscriber?: Subscriber; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(subscriber));
  const [projectId, setProject] = useState(boot.value.projects[0]?.id ?? "");
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <SecretReady secret={secret} onClose={onClose} />;

  async function create() {
    const body = { ...bodyOf(draft), projectId: projectId === "" ? null : projectId };
    setSecret((await sensitive(() => done(api.subscribers.post(body)))).secret);
  }

  async function save(id: string) {
    await sensitive(() => done(api.subscribers({ id }).patch(bodyOf(draft))));
    say("Saved. It holds from the next attempt, for what waits too.");
    onClose();
  }

  return (
    <FormDialog
      title={subscriber ? <span dir="auto">Change {subscriber.name}</span> : "New subscriber"}
      verb={subscriber ? "Save changes" : "Create subscriber"}
      ready={isComplete(draft)}
      onSubmit={() => (subscriber ? save(subscriber.id) : create())}
      onClose={onClose}
    >
      {subscriberInputs.map(([name, field]) => (
        <Fragment key={name}>
          <Input field={field} value={draft[name]} onValue={(value) => setDraft({ ...draft, [name]: value })} />
          {name === "name" && !subscriber && <ProjectField chosen={projectId} onChoose={setProject} />}
        </Fragment>
      ))}
      <HeadersInput
        names={subscriber?.headers ?? []}
        value={draft.headers}
        onValue={(headers) => setDraft({ ...draft, headers })}
      />
    </FormDialog>
  );
}

/** The projects whose reports a new subscriber receives; they cannot be changed later. */
function ProjectField({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  return (
    <Field label="Project">
      {(tied) => (
        <select {...tied} class="field" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
          <option value="">All projects, also ones made later</option>
          {boot.value.projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
