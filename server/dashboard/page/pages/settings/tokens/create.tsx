import { useState } from "preact/hooks";
import { tokenFields } from "../../../../../credentials/token-fields.ts";
import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { bodyOf, isReady, newDraft } from "../../../parts/field-draft.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { TokenInputs } from "./inputs.tsx";
import { TokenReady } from "./ready.tsx";
import type { Token } from "./token.ts";

/** The form for a new token, which then shows its value once. */
export function CreateToken({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) {
  const only = boot.value.projects.length === 1 ? boot.value.projects.map(({ id }) => id) : [];
  const [draft, setDraft] = useState(newDraft(tokenFields, { reach: { all: false, chosen: only } }));
  const [value, setValue] = useState<string>();
  if (value !== undefined)
    return <TokenReady fields={bodyOf(tokenFields, "new", draft)} value={value} onClose={onClose} />;

  async function create() {
    const { token } = await sensitive(() => done(api.tokens.post(bodyOf(tokenFields, "new", draft))));
    setValue(token);
  }

  return (
    <FormDialog
      title="New API token"
      verb="Create token"
      ready={isReady(tokenFields, "new", draft)}
      onSubmit={create}
      onClose={onClose}
    >
      <TokenInputs
        form="new"
        draft={draft}
        onDraft={setDraft}
        taken={tokens.some(({ name, revokedAt }) => name === draft.name && revokedAt === null)}
      />
    </FormDialog>
  );
}
