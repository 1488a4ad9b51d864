import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Snippets } from "../../../parts/snippets.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { Key } from "./row.tsx";
import { reportSnippets } from "./snippets.ts";

/** A new key, or another name and other origins for one. */
export function KeyForm({ sdkKey, onClose }: { sdkKey?: Key; onClose: () => void }) {
  const [name, setName] = useState(sdkKey?.name ?? "");
  const [projectId, setProject] = useState(sdkKey?.projectId ?? boot.value.projects[0]?.id ?? "");
  const [text, setText] = useState(sdkKey?.origins.join("\n") ?? "");

  async function save() {
    const origins = text.split(/\s+/).filter((origin) => origin !== "");
    await sensitive<unknown>(() =>
      done(sdkKey ? api.keys({ id: sdkKey.id }).patch({ name, origins }) : api.keys.post({ projectId, name, origins })),
    );
    say(sdkKey ? "Saved. It holds from the next report." : "The key is ready.");
    onClose();
  }

  return (
    <FormDialog
      title={sdkKey ? <span dir="auto">Change {sdkKey.name}</span> : "New SDK key"}
      verb={sdkKey ? "Save changes" : "Create key"}
      ready={name.trim() !== "" && projectId !== ""}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" hint="For people: which app has it.">
        {(tied) => (
          <span class="field">
            <input
              {...tied}
              data-focus
              dir="auto"
              autocomplete="off"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </span>
        )}
      </Field>
      {!sdkKey && (
        <Field label="Project">
          {(tied) => (
            <select
              {...tied}
              class="field"
              value={projectId}
              onChange={(event) => setProject(event.currentTarget.value)}
            >
              {boot.value.projects.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field
        label="Origins"
        hint="Of web pages that may send with it, one a line, such as https://shop.example.org. Empty: any. Apps have no origin and are not held back."
      >
        {(tied) => (
          <textarea
            {...tied}
            class="field mono"
            value={text}
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

export function KeySnippet({ sdkKey, onClose }: { sdkKey: Key; onClose: () => void }) {
  return (
    <Dialog
      title={<span dir="auto">Send reports with {sdkKey.name}</span>}
      intro="The key may stand in the app: it can only submit reports."
      onClose={onClose}
      footer={
        <button type="button" class="btn right" data-focus onClick={onClose}>
          Close
        </button>
      }
    >
      <Snippets label="Language" snippets={reportSnippets(boot.value.ingestUrl, boot.value.publicUrl, sdkKey.key)} />
    </Dialog>
  );
}

export function RevokeKey({ sdkKey, onClose }: { sdkKey: Key; onClose: () => void }) {
  const { id, name, lastUsedAt } = sdkKey;
  const inUse = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < 7 * 86_400_000;
  return (
    <Confirm
      title={
        <span dir="auto">
          Revoke <i>{name}</i>?
        </span>
      }
      verb="Revoke key"
      typed={inUse ? name : undefined}
      onConfirm={async () => {
        await sensitive(() => done(api.keys({ id }).delete()));
        say("Revoked. The next report with it gets 401.");
      }}
      onClose={onClose}
    >
      <p>
        {lastUsedAt === null ? (
          "It was never used."
        ) : (
          <>
            It was used <Ago at={lastUsedAt} words />.
          </>
        )}{" "}
        Every app that has it stops reporting, also those that people have installed already. This cannot be undone.
        Reports it brought stay.
      </p>
    </Confirm>
  );
}
