import { api, done } from "../../../core/api.ts";
import { shortId, whole } from "../../../core/format.ts";
import { useRows } from "../../../core/rows.ts";
import { MoreRows } from "../../../parts/more-rows.tsx";
import { Empty, Shown } from "../../../parts/states.tsx";
import { Table } from "../../../parts/table.tsx";
import { Ago } from "../../../parts/time.tsx";

const kinds: Record<string, string> = {
  grant: "Granted",
  adjust: "Taken back",
  hold: "Held for",
  release: "Released by",
  settle: "Used by",
};

/** The ledger of credits, newest entry first. Entries are never changed. */
export function Ledger() {
  const rows = useRows("ledger", (cursor) => done(api.credits.entries.get({ query: { cursor } })), {
    kinds: ["credits", "run"],
  });
  return (
    <section class="stacked" aria-label="Ledger">
      <h2>Ledger</h2>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>Nothing has changed the credits yet.</Empty>
          ) : (
            <Table
              columns={[
                "What",
                "By",
                { name: "Credits", class: "align-right" },
                { name: "Left", class: "align-right" },
                { name: "When", class: "align-right" },
              ]}
            >
              {items.map(({ id, at, kind, amount, balance, runId, attempt, note, actor }) => (
                <tr key={id}>
                  <td>
                    <span class="two-lines">
                      <span>{kinds[kind] ?? kind}</span>
                      {runId !== undefined && (
                        <small>
                          <a href={`/runs/${runId}`}>
                            run <code>{shortId(runId)}</code>
                            {attempt !== undefined && attempt > 1 && `, attempt ${attempt}`}
                          </a>
                        </small>
                      )}
                      {note !== undefined && (
                        <small class="ellipsis" dir="auto" title={note}>
                          {note}
                        </small>
                      )}
                    </span>
                  </td>
                  <td class="ellipsis" data-label="By" dir="auto">
                    {actor}
                  </td>
                  <td class={`align-right digits${amount < 0 ? "" : " text-ok"}`} data-label="Credits">
                    {amount > 0 ? "+" : "−"}
                    {whole(Math.abs(amount))}
                  </td>
                  <td class="align-right digits" data-label="Left">
                    {whole(balance)}
                  </td>
                  <td class="align-right digits" data-label="When">
                    <Ago at={at} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
    </section>
  );
}
