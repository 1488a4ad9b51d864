import { useState } from "preact/hooks";
import { tokenFields } from "../../../../../credentials/token-fields.ts";
import { api, done } from "../../../core/api.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { bodyOf, changesOf, draftOf, isReady } from "../../../parts/field-draft.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { projectNames } from "../../../parts/project-names.ts";
import { TokenInputs } from "./inputs.tsx";
import type { Token } from "./token.ts";

/** The form that changes a token; it lists the differences before they are saved. */
export function ChangeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const before = draftOf(tokenFields, token);
  const [draft, setDraft] = useState(before);
  const changed = changesOf(tokenFields, before, draft, projectNames);

  async function save() {
    const body = bodyOf(tokenFields, "change", draft);
    await sensitive(() => done(api.tokens({ id: token.id }).patch(body)));
    say("Saved. It holds from the next request.");
    onClose();
  }

  return (
    <FormDialog
      title={<span dir="auto">Change {token.name}</span>}
      verb="Save changes"
      ready={isReady(tokenFields, "change", draft) && changed.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <TokenInputs form="change" draft={draft} onDraft={setDraft} taken={false} />
      {changed.length > 0 && (
        <div class="changes" role="status">
          <b>Holds from the next request:</b>
          <ul>
            {changed.map(({ what, from, to }) => (
              <li key={what} dir="auto">
                {what}: <s>{from}</s> → <b>{to}</b>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
