import { useState } from "preact/hooks";
import { subscriberFields } from "../../../../webhooks/subscribers/subscriber-fields.ts";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Field } from "../../parts/field.tsx";
import { bodyOf, draftOf, isReady, newDraft } from "../../parts/field-draft.ts";
import { FieldInputs } from "../../parts/field-inputs.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { HeadersInput } from "./headers-input.tsx";
import { SecretReady } from "./secret-ready.tsx";
import type { Subscriber } from "./subscriber.ts";

/** The form for a new subscriber, which then shows its secret once, or for changes to one. */
export function SubscriberForm({ subscriber, onClose }: { subscriber?: Subscriber; onClose: () => void }) {
  const form = subscriber ? "change" : "new";
  const [draft, setDraft] = useState(() =>
    subscriber ? draftOf(subscriberFields, withoutHost(subscriber)) : newDraft(subscriberFields),
  );
  // The headers of a subscriber are never shown: null removes them, and the empty text leaves them as they are.
  const [headers, setHeaders] = useState<string | null>("");
  const [projectId, setProject] = useState(boot.value.projects[0]?.id ?? "");
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <SecretReady secret={secret} onClose={onClose} />;
  const newHeaders = headers?.trim() === "" ? {} : { headers };

  async function create() {
    const body = { ...bodyOf(subscriberFields, "new", draft), ...newHeaders };
    const project = projectId === "" ? null : projectId;
    setSecret((await sensitive(() => done(api.subscribers.post({ ...body, projectId: project })))).secret);
  }

  async function save(id: string) {
    const body = { ...bodyOf(subscriberFields, "change", draft), ...newHeaders };
    await sensitive(() => done(api.subscribers({ id }).patch(body)));
    say("Saved. It holds from the next attempt, for what waits too.");
    onClose();
  }

  return (
    <FormDialog
      title={subscriber ? <span dir="auto">Change {subscriber.name}</span> : "New subscriber"}
      verb={subscriber ? "Save changes" : "Create subscriber"}
      ready={isReady(subscriberFields, form, draft)}
      onSubmit={() => (subscriber ? save(subscriber.id) : create())}
      onClose={onClose}
    >
      <FieldInputs fields={subscriberFields} form={form} draft={draft} onDraft={setDraft} />
      {!subscriber && <ProjectField chosen={projectId} onChoose={setProject} />}
      <HeadersInput names={subscriber?.headers ?? []} value={headers} onValue={setHeaders} />
    </FormDialog>
  );
}

/** A subscriber without a name of its own is shown with its host as the name: the form shows none. */
function withoutHost({ name, host, ...subscriber }: Subscriber) {
  return { ...subscriber, name: name === host ? null : name };
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
