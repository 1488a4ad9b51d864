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
import { useNewToken } from "./use-new-token.tsx";

/** The form for a new token, which then shows its value once. */
export function CreateToken({ tokens, onClose }: { tokens: readonly Token[]; onClose: () => void }) {
  const only = boot.value.projects.length === 1 ? boot.value.projects.map(({ id }) => id) : [];
  const [draft, setDraft] = useState(newDraft(tokenFields, { reach: { all: false, chosen: only } }));
  const { value, create, verb = "Create token", note } = useNewToken();
  const body = bodyOf(tokenFields, "new", draft);
  if (value !== undefined) return <TokenReady fields={body} value={value} onClose={onClose} />;

  return (
    <FormDialog
      title="New API token"
      verb={verb}
      ready={isReady(tokenFields, "new", draft)}
      onSubmit={() => create(body.name, () => sensitive(() => done(api.tokens.post(body))))}
      onClose={onClose}
    >
      <TokenInputs
        form="new"
        draft={draft}
        onDraft={setDraft}
        taken={tokens.some(({ name, revokedAt }) => name === draft.name && revokedAt === null)}
      />
      {note}
    </FormDialog>
  );
}
