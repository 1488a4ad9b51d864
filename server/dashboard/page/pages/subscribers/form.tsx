import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { boot } from "../../core/boot.ts";
import { say } from "../../core/say.ts";
import { sensitive } from "../../core/sensitive.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { SecretReady } from "./secret-ready.tsx";
import type { Subscriber } from "./subscriber.ts";

const messageTypes = ["report.received", "agent_run.updated"] as const;
type MessageType = (typeof messageTypes)[number];

/** A new subscriber, then its secret this once; or a change to one. */
export function SubscriberForm({ subscriber, onClose }: { subscriber?: Subscriber; onClose: () => void }) {
  const named = subscriber && subscriber.name !== subscriber.host;
  const [name, setName] = useState(named ? subscriber.name : "");
  const [url, setUrl] = useState(subscriber?.url ?? "");
  const [projectId, setProject] = useState(
    subscriber ? (subscriber.projectId ?? "") : (boot.value.projects[0]?.id ?? ""),
  );
  const [types, setTypes] = useState<readonly MessageType[]>(
    (subscriber?.types as MessageType[]) ?? ["report.received"],
  );
  const [reportTypes, setReportTypes] = useState(subscriber?.reportTypes.join(", ") ?? "");
  const [headers, setHeaders] = useState("");
  const [dropHeaders, setDropHeaders] = useState(false);
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <SecretReady secret={secret} onClose={onClose} />;

  const fields = {
    url: url.trim(),
    types: [...types],
    reportTypes: reportTypes
      .split(",")
      .map((type) => type.trim())
      .filter((type) => type !== ""),
  };
  const has = subscriber !== undefined && subscriber.headers.length > 0;

  async function create() {
    const body = {
      ...fields,
      projectId: projectId === "" ? null : projectId,
      ...(name.trim() === "" ? {} : { name }),
      ...(headers.trim() === "" ? {} : { headers }),
    };
    setSecret((await sensitive(() => done(api.subscribers.post(body)))).secret);
  }

  async function save(id: string) {
    const said = headers.trim() !== "" ? { headers } : dropHeaders ? { headers: null } : {};
    const change = { ...fields, name: name.trim() === "" ? null : name, ...said };
    await sensitive(() => done(api.subscribers({ id }).patch(change)));
    say("Saved. It holds from the next attempt, for what waits too.");
    onClose();
  }

  return (
    <FormDialog
      title={subscriber ? <span dir="auto">Change {subscriber.name}</span> : "New subscriber"}
      verb={subscriber ? "Save changes" : "Create subscriber"}
      ready={fields.url !== "" && types.length > 0}
      onSubmit={() => (subscriber ? save(subscriber.id) : create())}
      onClose={onClose}
    >
      <Field
        label="Address"
        hint="https, and public, unless the server was started with --webhook-allow for it. It is looked up when you save."
      >
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              inputMode="url"
              autocomplete="off"
              spellcheck={false}
              placeholder="https://hooks.example.org/intake"
              value={url}
              onInput={(event) => setUrl(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      <Field label="Name" hint="For people. Empty: its host.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              dir="auto"
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      {!subscriber && (
        <Field label="Project">
          {(tied) => (
            <select
              {...tied}
              class="field"
              value={projectId}
              onChange={(event) => setProject(event.currentTarget.value)}
            >
              <option value="">All projects, also ones made later</option>
              {boot.value.projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <fieldset class="options">
        <legend>Told of</legend>
        {messageTypes.map((type) => (
          <label key={type}>
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={() => setTypes(types.includes(type) ? types.filter((one) => one !== type) : [...types, type])}
            />
            <code>{type}</code>
          </label>
        ))}
      </fieldset>
      <Field
        label="Only reports of these types"
        hint="As the report says, with commas between them: crash, error. Empty: all."
      >
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              autocomplete="off"
              spellcheck={false}
              value={reportTypes}
              onInput={(event) => setReportTypes(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      <Field
        label="Own headers"
        hint={
          has
            ? `It has ${subscriber.headers.join(", ")}; values are never shown. What you write here replaces them.`
            : "Name: value, one a line. Values are never shown again."
        }
      >
        {(tied) => (
          <textarea
            {...tied}
            class="field mono"
            spellcheck={false}
            autocomplete="off"
            value={headers}
            onInput={(event) => setHeaders(event.currentTarget.value)}
          />
        )}
      </Field>
      {has && (
        <label class="row">
          <input
            type="checkbox"
            checked={dropHeaders}
            disabled={headers.trim() !== ""}
            onChange={() => setDropHeaders(!dropHeaders)}
          />
          Send none of its own headers any more
        </label>
      )}
    </FormDialog>
  );
}
