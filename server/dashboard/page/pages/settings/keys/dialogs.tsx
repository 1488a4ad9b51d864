import { useState } from "preact/hooks";
import { keyFields } from "../../../../../credentials/key-fields.ts";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { useCreateOnce } from "../../../parts/create-once.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { bodyOf, draftOf, isReady, newDraft } from "../../../parts/field-draft.ts";
import { FieldInputs } from "../../../parts/field-inputs.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { Snippets } from "../../../parts/snippets.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { Key } from "./row.tsx";
import { reportSnippets } from "./snippets.ts";

/** The form for a new SDK key, or for the name and origins of an existing one. */
export function KeyForm({ sdkKey, onClose }: { sdkKey?: Key; onClose: () => void }) {
  const form = sdkKey ? "change" : "new";
  const [draft, setDraft] = useState(
    sdkKey ? draftOf(keyFields, sdkKey) : newDraft(keyFields, { projectId: boot.value.projects[0]?.id ?? "" }),
  );

  // The text of a key may be seen at any time: a key whose answer got lost is as good as one that was answered.
  const create = useCreateOnce(() => activeKeys(draft.projectId));

  async function save() {
    if (sdkKey) await sensitive(() => done(api.keys({ id: sdkKey.id }).patch(bodyOf(keyFields, "change", draft))));
    else {
      const body = bodyOf(keyFields, "new", draft);
      await create(body.name, () => sensitive(() => done(api.keys.post(body))));
    }
    say(sdkKey ? "Saved. It holds from the next report." : "The key is ready.");
    onClose();
  }

  return (
    <FormDialog
      title={sdkKey ? <span dir="auto">Change {sdkKey.name}</span> : "New SDK key"}
      verb={sdkKey ? "Save changes" : "Create key"}
      ready={isReady(keyFields, form, draft)}
      onSubmit={save}
      onClose={onClose}
    >
      <FieldInputs fields={keyFields} form={form} draft={draft} onDraft={setDraft} />
    </FormDialog>
  );
}

async function activeKeys(project: string): Promise<Key[]> {
  const found: Key[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await done(api.keys.get({ query: { project, cursor } }));
    found.push(...items.filter(({ state }) => state !== "revoked"));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return found;
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
