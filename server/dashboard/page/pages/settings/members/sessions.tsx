import { useState } from "preact/hooks";
import type { MemberView } from "../../../../../accounts/list-members.ts";
import { api, done } from "../../../core/api.ts";
import { plural } from "../../../core/format.ts";
import { failureOf, useLoad } from "../../../core/load.ts";
import { say } from "../../../core/say.ts";
import { sensitive } from "../../../core/sensitive.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { Note } from "../../../parts/note.tsx";
import { Shown } from "../../../parts/states.tsx";
import { SessionRows } from "../sessions/rows.tsx";

/** The sessions of a member, for admins, who can end them. */
export function MemberSessions({ member: { id, name }, onClose }: { member: MemberView; onClose: () => void }) {
  const calls = api.members({ id }).sessions;
  const sessions = useLoad(`sessions of ${id}`, () => done(calls.get()), { kinds: ["member"] });
  const [failed, setFailed] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function end(act: () => Promise<{ ended: number }>) {
    setBusy(true);
    setFailed(undefined);
    try {
      const { ended } = await sensitive(act);
      say(`${plural(ended, "session")} ended.`);
      sessions.reload();
    } catch (error) {
      setFailed(failureOf(error).message);
    }
    setBusy(false);
  }

  const count = sessions.data?.items.length ?? 0;
  return (
    <Dialog
      title={<span dir="auto">Sessions of {name}</span>}
      intro="Whoever can still sign in may do so again: deactivate the person or reset the password to prevent that."
      onClose={onClose}
      footer={
        <>
          <button type="button" class="btn right" data-focus onClick={onClose}>
            Close
          </button>
          {count > 0 && (
            <button
              type="button"
              class="btn solid-danger"
              disabled={busy}
              onClick={() => end(() => done(calls.delete()))}
            >
              End {plural(count, "session")}
            </button>
          )}
        </>
      }
    >
      <Shown loaded={sessions} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p>Nobody is signed in as this person.</p>
          ) : (
            <SessionRows
              items={items}
              onEnd={(session) => end(() => done(api.members({ id }).sessions({ session }).delete()))}
            />
          )
        }
      </Shown>
      {failed !== undefined && <Note tone="err">{failed}</Note>}
    </Dialog>
  );
}
