import { api, done } from "../../../core/api.ts";
import { boot } from "../../../core/boot.ts";
import { useLoad } from "../../../core/load.ts";
import { useRefresh } from "../../../core/use-refresh.ts";
import { runnerCommand } from "../../../parts/runner-command.ts";
import { Empty, Shown } from "../../../parts/states.tsx";
import { Table } from "../../../parts/table.tsx";
import { Ago } from "../../../parts/time.tsx";

/** The runners that have asked for runs. */
export function Runners() {
  const runners = useLoad("runners", () => done(api.runners.get()), { kinds: ["run", "token"] });
  useRefresh(runners.reload, true);
  return (
    <section class="stacked" aria-label="Runners">
      <h2>Runners</h2>
      <Shown loaded={runners}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty command={runnerCommand(boot.value.publicUrl)}>
              No machine has asked for a run yet. One needs an API token with the scope <code>runs:execute</code>.
            </Empty>
          ) : (
            <Table columns={["Runner", "State", "Token", "Executes", { name: "Seen", class: "align-right" }]}>
              {items.map(({ name, version, labels, seenAt, online, token, runs }) => (
                <tr key={`${token.id} ${name}`}>
                  <td>
                    <span class="two-lines">
                      <span class="strong ellipsis" dir="auto" title={name}>
                        {name}
                      </span>
                      <small class="ellipsis" title={labels.join(", ")}>
                        {[version, ...labels].filter((part) => part !== "").join(" · ")}
                      </small>
                    </span>
                  </td>
                  <td data-label="">
                    <span class={`pill ${online ? "ok" : ""}`}>{online ? "Online" : "Offline"}</span>
                  </td>
                  <td class="ellipsis" data-label="Token">
                    <a href={`/settings/tokens/${token.id}`} dir="auto">
                      {token.name}
                    </a>
                    {!token.mayExecute && <span class="pill warn">may not execute</span>}
                  </td>
                  <td class="ellipsis" data-label="Executes">
                    {runs.length === 0 ? (
                      <span class="dim">nothing</span>
                    ) : (
                      <span class="stacked">
                        {runs.map(({ id, title }) => (
                          <a class="ellipsis" key={id} href={`/runs/${id}`} dir="auto">
                            {title.trim() === "" ? "(untitled)" : title}
                          </a>
                        ))}
                      </span>
                    )}
                  </td>
                  <td class="align-right digits" data-label="Seen">
                    <Ago at={seenAt} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </section>
  );
}
