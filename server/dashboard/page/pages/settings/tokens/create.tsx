import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { isReady, newDraft, reachOf } from "./draft.ts";
import { TokenFields } from "./fields.tsx";
import { TokenReady } from "./ready.tsx";
import type { Token } from "./token.ts";

/** A new token: its form, then its value, this once. */
export function CreateToken({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) {
  const only = boot.value.projects.length === 1 ? boot.value.projects.map(({ id }) => id) : [];
  const [draft, setDraft] = useState(newDraft(only));
  const [value, setValue] = useState<string>();
  if (value !== undefined) return <TokenReady draft={draft} value={value} onClose={onClose} />;

  async function create() {
    const body = { name: draft.name, reach: reachOf(draft), scopes: [...draft.scopes], limit: Number(draft.limit) };
    const { token } = await sensitive(() => done(api.tokens.post(body)));
    setValue(token);
  }

  return (
    <FormDialog title="New API token" verb="Create token" ready={isReady(draft)} onSubmit={create} onClose={onClose}>
      <TokenFields
        draft={draft}
        onDraft={setDraft}
        taken={tokens.some(({ name, revokedAt }) => name === draft.name && revokedAt === null)}
      />
    </FormDialog>
  );
}
