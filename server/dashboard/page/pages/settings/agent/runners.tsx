import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { useLoad } from "../../../core/load.ts";
import { useRefresh } from "../../../core/use-refresh.ts";
import { runnerCommand } from "../../../parts/runner-command.ts";
import { Empty, Shown } from "../../../parts/states.tsx";
import { Ago } from "../../../parts/time.tsx";

/** The runners that have asked for runs. */
export function Runners() {
  const runners = useLoad("runners", () => done(api.runners.get()), { kinds: ["run", "token"] });
  useRefresh(runners.reload, true);
  return (
    <section class="pile" aria-label="Runners">
      <h2>Runners</h2>
      <Shown loaded={runners}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command={runnerCommand(boot.value.publicUrl)}>
              No machine has asked for a run yet. One needs an API token with the scope <code>runs:execute</code>.
            </Empty>
          ) : (
            <div class="sheet">
              <table class="table lines">
                <thead>
                  <tr>
                    <th>Runner</th>
                    <th>State</th>
                    <th>Token</th>
                    <th>Executes</th>
                    <th class="r">Seen</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ name, version, labels, seenAt, online, token, runs }) => (
                    <tr key={`${token.id} ${name}`}>
                      <td>
                        <span class="two-lines">
                          <span class="strong clip" dir="auto" title={name}>
                            {name}
                          </span>
                          <small class="clip" title={labels.join(", ")}>
                            {[version, ...labels].filter((part) => part !== "").join(" · ")}
                          </small>
                        </span>
                      </td>
                      <td data-label="State">
                        <span class={`pill ${online ? "ok" : ""}`}>{online ? "Online" : "Offline"}</span>
                      </td>
                      <td class="clip" data-label="Token">
                        <a href={`/settings/tokens/${token.id}`} dir="auto">
                          {token.name}
                        </a>
                        {!token.mayExecute && <span class="pill warn">may not execute</span>}
                      </td>
                      <td class="clip" data-label="Executes">
                        {runs.length === 0 ? (
                          <span class="dim">nothing</span>
                        ) : (
                          <span class="pile">
                            {runs.map(({ id, title }) => (
                              <a class="clip" key={id} href={`/runs/${id}`} dir="auto">
                                {title.trim() === "" ? "(untitled)" : title}
                              </a>
                            ))}
                          </span>
                        )}
                      </td>
                      <td class="r num" data-label="Seen">
                        <Ago at={seenAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Shown>
    </section>
  );
}
