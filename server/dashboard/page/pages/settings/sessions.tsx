import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Shown } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { SignOut } from "./profile.tsx";
import { NewDevices } from "./sessions/new-devices.tsx";
import { SessionRows } from "./sessions/rows.tsx";

/** The sessions of this person, each of which can be ended, and the sign-ins that were new. */
export default function Sessions() {
  const sessions = useLoad("sessions", () => done(api.sessions.get()), { kinds: ["member"] });
  const [asking, setAsking] = useState(false);

  async function run(act: () => Promise<unknown>, said: string) {
    try {
      await act();
      say(said);
      sessions.reload();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }
  const revoke = (id: string) => run(() => done(api.sessions({ id }).delete()), "The session is over.");
  const known = (id: string) => run(() => done(api.sessions({ id }).known.post({})), "It is known now.");

  const others = sessions.data?.items.filter(({ current }) => !current).length ?? 0;
  return (
    <>
      <Bar crumbs={crumbsOf("/settings/sessions")}>
        <SignOut />
      </Bar>
      <main id="main" class="page">
        <div class="head">
          <div>
            <h1>Sessions</h1>
            <p>
              Where you are signed in. A session ends when it is not used for long, and some time after the sign-in in
              any case: an admin sets both. Revoking holds on the very next request.
            </p>
          </div>
          {others > 0 && (
            <button type="button" class="btn danger right" onClick={() => setAsking(true)}>
              Revoke all others
            </button>
          )}
        </div>
        <Shown loaded={sessions}>
          {({ items, newDevices }) => (
            <>
              {newDevices.length > 0 && (
                <NewDevices
                  items={newDevices}
                  open={new Set(items.map(({ id }) => id))}
                  onKnown={known}
                  onEnd={revoke}
                />
              )}
              <div class="sheet">
                <SessionRows items={items} onEnd={revoke} />
              </div>
            </>
          )}
        </Shown>
      </main>
      {asking && (
        <Confirm
          title="Revoke all other sessions?"
          verb={`Revoke ${plural(others, "session")}`}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { ended } = await done(api.sessions.others.delete());
            say(`${plural(ended, "session")} ended.`);
            sessions.reload();
          }}
        >
          <p>Every other browser is signed out at once. This one stays.</p>
        </Confirm>
      )}
    </>
  );
}
