import type { NoticeView } from "../../../../notices/notice-view.ts";
import { api, done } from "../../core/api.ts";
import { plural } from "../../core/format.ts";
import { failureOf } from "../../core/load.ts";
import { useRows } from "../../core/rows.ts";
import { say } from "../../core/say.ts";
import { MoreRows } from "../../parts/more-rows.tsx";
import { Empty, Shown } from "../../parts/states.tsx";
import { Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { AdminPage } from "../../shell/admin-page.tsx";

/** What needs an admin, and what did. */
export default function Notices() {
  return (
    <AdminPage path="/notices" title="Notices" what="read notices">
      <Lists />
    </AdminPage>
  );
}

function Lists() {
  return (
    <>
      <div class="head">
        <div>
          <h1>Notices</h1>
          <p>
            What needs an admin. Subscribers can be told too, at most once an hour of the same thing: ask for
            notice.raised and notice.cleared. <a href="/settings/organisation">Settings</a> turn rules off.
          </p>
        </div>
      </div>
      <List state="open" title="Open" none="Nothing needs an admin." />
      <List state="over" title="Over" none="No notice is over yet." />
    </>
  );
}

function List({ state, title, none }: { state: "open" | "over"; title: string; none: string }) {
  const rows = useRows(`notices ${state}`, (cursor) => done(api.notices.get({ query: { state, cursor } })), {
    kinds: ["notice"],
  });
  return (
    <section aria-label={title}>
      <h2 class="space-below">{title}</h2>
      <Shown loaded={rows}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>{none}</Empty>
          ) : (
            <Table
              columns={[
                "Notice",
                state === "open" ? "What to do" : "Ended",
                "Raised",
                ...(state === "open" ? [{ name: "Dismiss", class: "sr-only" } as const] : []),
              ]}
            >
              {items.map((notice) => (
                <Row key={notice.id} notice={notice} />
              ))}
            </Table>
          )
        }
      </Shown>
      <MoreRows more={rows.more} busy={rows.busy} />
    </section>
  );
}

const tones = { error: "err", warning: "warn", info: "line" } as const;

function Row({ notice }: { notice: NoticeView }) {
  const { level, title, about, remedy, name, text, path, state, raisedAt, clearedAt, times, dismissedBy } = notice;
  return (
    <tr>
      <td>
        <span class="two-lines">
          <span class="row">
            <span class={`pill ${tones[level]}`}>{level}</span>
            <a class="name strong" href={path} title={about}>
              {title}
            </a>
          </span>
          <small dir="auto">{name === null ? text : `${name}: ${text}`}</small>
        </span>
      </td>
      <td data-label={state === "over" ? "Ended" : "What to do"}>
        {state === "over" ? clearedAt !== null && <Ago at={clearedAt} /> : remedy}
      </td>
      <td class="nowrap" data-label="Raised">
        <Ago at={raisedAt} />
        {times > 1 && <small class="dim"> {plural(times, "time")}</small>}
      </td>
      {state !== "over" && (
        <td class="align-right" data-label="">
          {state === "dismissed" ? (
            <small class="dim" dir="auto">
              Dismissed by {dismissedBy}
            </small>
          ) : (
            <button type="button" class="btn" onClick={() => void dismiss(notice)}>
              Dismiss<span class="sr-only"> {title}</span>
            </button>
          )}
        </td>
      )}
    </tr>
  );
}

async function dismiss({ id }: NoticeView) {
  try {
    await done(api.notices({ id }).dismiss.post({}));
  } catch (error) {
    say(failureOf(error).message, { bad: true });
  }
}
