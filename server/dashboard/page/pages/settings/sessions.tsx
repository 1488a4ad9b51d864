import { useState } from "preact/hooks";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf, useLoad } from "../../core/load.ts";
import { say } from "../../core/say.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Shown } from "../../parts/states.tsx";
import { Ago } from "../../parts/time.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { SignOut } from "./profile.tsx";

/** The sessions of this person, each of which can be ended. */
export default function Sessions() {
  const sessions = useLoad("sessions", () => done(api.sessions.get()), { kinds: ["member"] });
  const [asking, setAsking] = useState(false);

  async function revoke(id: string) {
    try {
      await done(api.sessions({ id }).delete());
      say("The session is over.");
      sessions.reload();
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    }
  }

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
              Where you are signed in. A session ends after 14 days without a request, and after 90 in any case.
              Revoking holds on the very next request.
            </p>
          </div>
          {others > 0 && (
            <button type="button" class="btn danger right" onClick={() => setAsking(true)}>
              Revoke all others
            </button>
          )}
        </div>
        <Shown loaded={sessions}>
          {({ items }) => (
            <div class="sheet">
              <table class="table lines people">
                <thead>
                  <tr>
                    <th scope="col">Browser</th>
                    <th scope="col">Network</th>
                    <th scope="col">Signed in</th>
                    <th scope="col">Last seen</th>
                    <th scope="col">
                      <span class="sr">Acts</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ id, browser, system, network, createdAt, seenAt, current }) => (
                    <tr key={id}>
                      <td>
                        <div class="row">
                          <Icon name={system === "iPhone" || system === "Android" ? "phone" : "expand"} />
                          <b>{browser ?? "Unknown browser"}</b>
                          {system !== undefined && <span class="dim">on {system}</span>}
                          {current && <span class="pill ok">This one</span>}
                        </div>
                      </td>
                      <td class="mono" data-label="Network">
                        {network ?? "–"}
                      </td>
                      <td data-label="Signed in">
                        <Ago at={createdAt} />
                      </td>
                      <td data-label="Seen">
                        <Ago at={seenAt} />
                      </td>
                      <td class="r">
                        {!current && (
                          <button type="button" class="btn" onClick={() => revoke(id)}>
                            Revoke
                          </button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
