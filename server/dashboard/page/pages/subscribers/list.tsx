import { useState } from "preact/hooks";
import { isAdmin } from "../../core/boot.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useRowKeys } from "../../core/row-keys.ts";
import { useRows } from "../../core/rows.ts";
import { Icon } from "../../parts/icon.tsx";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { SubscriberForm } from "./form.tsx";
import { Health } from "./health.tsx";
import { countWords, type Listed, listSubscribers, statusLooks } from "./subscriber.ts";

/** The subscribers of the organisation. Members see only their names and states. */
export default function Subscribers() {
  const admin = isAdmin.value;
  const [creating, setCreating] = useState(false);
  const rows = useRows(`subscribers ${admin}`, listSubscribers, { kinds: ["subscriber", "delivery"] });
  const create = () => setCreating(true);
  useShortcuts(admin ? [{ keys: "n", does: "New subscriber", run: create }] : []);
  useRowKeys("subscriber");
  return (
    <>
      <Bar crumbs={crumbsOf("/subscribers")} />
      <main id="main" class="page">
        <div class="head">
          <div>
            <h1>Subscribers</h1>
            <p>
              Each is told of reports by a signed webhook, at least once, with up to ten attempts over 75 hours.
              {!admin && " Addresses and deliveries are for admins."}
            </p>
          </div>
          {admin && (
            <button type="button" class="btn primary right" onClick={create}>
              <Icon name="plus" small />
              New subscriber <span class="kbd hide-narrow">N</span>
            </button>
          )}
        </div>
        <Shown loaded={rows}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty command="intake subscriber add --all-projects --url https://hooks.example.org/intake">
                Nobody is told of reports yet.
              </Empty>
            ) : (
              <Table
                columns={[
                  "Name",
                  "Project",
                  ...(admin ? ["Types"] : []),
                  "State",
                  ...(admin ? [{ name: "48 h", class: "hide-narrow" } as const] : []),
                  ...(admin ? [{ name: "Waiting", class: "align-right" } as const] : []),
                  ...(admin ? [{ name: "Dead", class: "align-right" } as const] : []),
                ]}
              >
                {items.map((subscriber) => (
                  <Row key={subscriber.id} subscriber={subscriber} />
                ))}
              </Table>
            )
          }
        </Shown>
        <MoreRows more={rows.more} busy={rows.busy} />
      </main>
      {creating && <SubscriberForm onClose={() => setCreating(false)} />}
    </>
  );
}

function Row({ subscriber: { id, name, host, projectName, subscriberStatus: status, more } }: { subscriber: Listed }) {
  const { text, tone, icon } = statusLooks[status];
  return (
    <tr>
      <td>
        <div class="row">
          <Icon name="send" />
          <span class="two-lines">
            {more ? (
              <a class="name strong ellipsis" href={`/subscribers/${id}`} dir="auto" title={name}>
                {name}
              </a>
            ) : (
              <span class="strong ellipsis" dir="auto" title={name}>
                {name}
              </span>
            )}
            <small class="mono ellipsis" title={more?.url}>
              {more?.url ?? host}
            </small>
          </span>
        </div>
      </td>
      <td data-label="Project" dir="auto">
        {projectName ?? <span class="pill warn">All projects</span>}
      </td>
      {more && (
        <td data-label="Types">
          {more.types.join(", ")}
          {more.reportTypes.length > 0 && <small class="dim"> {more.reportTypes.join(", ")}</small>}
        </td>
      )}
      <td data-label="">
        <span class={`pill ${tone}`} title={more?.reason ?? undefined}>
          <Icon name={icon} />
          {text}
        </span>
      </td>
      {more && (
        <td class="hide-narrow">
          <Health hours={more.hours} />
        </td>
      )}
      {more && (
        <td class="align-right digits" data-label="Waiting">
          {countWords(more.waiting)}
        </td>
      )}
      {more && (
        <td class={`align-right digits${more.dead > 0 ? " text-err" : ""}`} data-label="Dead">
          {countWords(more.dead)}
        </td>
      )}
    </tr>
  );
}
