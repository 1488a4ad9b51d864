import type { AuditEntry } from "../../../../organisation/list-audit.ts";
import { api, done } from "../../core/api.ts";
import { useLoad } from "../../core/load.ts";
import { place, setQuery } from "../../core/router.ts";
import { useRows } from "../../core/rows.ts";
import { Icon } from "../../parts/icon.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { type ActorKind, Who } from "../../parts/who.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";
import { actKinds, actWords, changeOf, objectOf } from "./audit/words.ts";

/** The audit log, to read and to download. */
export default function Audit() {
  return (
    <AdminPage path="/settings/audit" title="Audit" what="read the audit log">
      <Log />
    </AdminPage>
  );
}

/** The filter stands in the address, so that a view is a link. Days are in the reader's zone. */
function filterOf(query: URLSearchParams) {
  const [actor, action, from, to] = ["actor", "action", "from", "to"].map((name) => query.get(name) ?? "");
  const moment = (day: string | undefined, days: number) => {
    const date = new Date(`${day}T00:00:00`);
    if (Number.isNaN(date.getTime())) return undefined;
    date.setDate(date.getDate() + days);
    return date.toISOString();
  };
  return {
    fields: { actor, action, from, to },
    filter: {
      actor: actor || undefined,
      action: action || undefined,
      since: moment(from, 0),
      until: moment(to, 1),
    },
  };
}

const downloads = [
  ["csv", "Export CSV"],
  ["jsonl", "Export JSON Lines"],
] as const;

function Log() {
  const { fields, filter } = filterOf(place.value.query);
  const key = JSON.stringify(filter);
  const entries = useRows(key, (cursor) => done(api.audit.get({ query: { ...filter, cursor } })));
  const filtered = Object.values(filter).some((value) => value !== undefined);
  const query = new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return (
    <>
      <div class="head">
        <div>
          <h1>Audit</h1>
          <p>Every act that changes who may do what, and everything that is gone. Nothing here can be changed.</p>
        </div>
        <div class="row wrap right">
          {downloads.map(([format, title]) => (
            <a key={format} class="btn" href={`/internal/audit/export?format=${format}&${query}`} download>
              <Icon name="down" small />
              {title}
            </a>
          ))}
        </div>
      </div>
      <Filters fields={fields} />
      <Shown loaded={entries} rows={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              action={
                filtered && (
                  <button type="button" class="btn" onClick={clear}>
                    Clear the filter
                  </button>
                )
              }
            >
              {filtered ? "No entry matches this filter." : "Nothing was done yet."}
            </Empty>
          ) : (
            <Table columns={["Who", "Did", "Change", "Network", "When"]} class="audit">
              {items.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </Table>
          )
        }
      </Shown>
      {entries.more && (
        <button type="button" class="btn" disabled={entries.busy} onClick={entries.more}>
          Show more
        </button>
      )}
    </>
  );
}

function clear() {
  setQuery({ actor: "", action: "", from: "", to: "" });
}

function Filters({ fields }: { fields: Record<string, string | undefined> }) {
  const members = useLoad("names", () => done(api.members.names.get()));
  const people = members.data?.items.filter(({ role }) => role !== "agent") ?? [];
  return (
    <search class="row wrap audit-filters">
      <label>
        <span class="sr-only">Who</span>
        <select
          class="field"
          value={fields["actor"]}
          onChange={(event) => setQuery({ actor: event.currentTarget.value })}
        >
          <option value="">Everybody</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="sr-only">What</span>
        <select
          class="field"
          value={fields["action"]}
          onChange={(event) => setQuery({ action: event.currentTarget.value })}
        >
          <option value="">Every act</option>
          {actKinds.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="row">
        From
        <span class="field">
          <input
            type="date"
            value={fields["from"]}
            onChange={(event) => setQuery({ from: event.currentTarget.value })}
          />
        </span>
      </label>
      <label class="row">
        to
        <span class="field">
          <input type="date" value={fields["to"]} onChange={(event) => setQuery({ to: event.currentTarget.value })} />
        </span>
      </label>
    </search>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const change = changeOf(entry);
  return (
    <tr>
      <td>
        <div class="row">
          <Who kind={shapeOf(entry.actorKind)} name={entry.actor} />
          <span class="ellipsis" dir="auto" title={entry.actor}>
            {entry.actor}
          </span>
        </div>
      </td>
      <td data-label="">
        <span class="two-lines">
          <span>{actWords(entry.action)}</span>
          <small class="ellipsis" dir="auto" title={entry.object}>
            {objectOf(entry)}
          </small>
        </span>
      </td>
      <td class="change" data-label="Change" title={change}>
        <span class="ellipsis mono" dir="auto">
          {change}
        </span>
      </td>
      <td
        class="mono nowrap dim"
        data-label="Network"
        title={entry.requestId === null ? undefined : `Request ${entry.requestId}`}
      >
        {entry.network ?? "–"}
      </td>
      <td class="nowrap" data-label="When">
        <Ago at={entry.at} />
      </td>
    </tr>
  );
}

function shapeOf(kind: AuditEntry["actorKind"]): ActorKind {
  if (kind === "member" || kind === "token") return kind;
  return kind === "operator" ? "operator" : "system";
}
