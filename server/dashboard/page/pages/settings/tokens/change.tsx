import { useState } from "preact/hooks";
import { api, done } from "../../../core/api.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { changes, draftOf, isReady, reachOf } from "./draft.ts";
import { TokenFields } from "./fields.tsx";
import { projectNames, type Token } from "./token.ts";

/** Name, reach, scopes and limit, with what is different before it is saved. */
export function ChangeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const before = draftOf(token);
  const [draft, setDraft] = useState(before);
  const changed = changes(before, draft);

  async function save() {
    const body = { name: draft.name, reach: reachOf(draft), scopes: [...draft.scopes], limit: Number(draft.limit) };
    await sensitive(() => done(api.tokens({ id: token.id }).patch(body)));
    say("Saved. It holds from the next request.");
    onClose();
  }

  const words = (what: string, text: string) =>
    what === "Reach" && text !== "all projects" ? projectNames(text === "" ? [] : text.split(", ")) : text;
  return (
    <FormDialog
      title={<span dir="auto">Change {token.name}</span>}
      verb="Save changes"
      ready={isReady(draft) && changed.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <TokenFields draft={draft} onDraft={setDraft} taken={false} />
      {changed.length > 0 && (
        <div class="changes" role="status">
          <b>Holds from the next request:</b>
          <ul>
            {changed.map(({ what, from, to }) => (
              <li key={what} dir="auto">
                {what}: <s>{words(what, from)}</s> → <b>{words(what, to)}</b>
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
