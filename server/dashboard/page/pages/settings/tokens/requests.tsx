import { Fragment } from "preact";
import type { BrowsedRequest } from "../../../../../credentials/browse-requests.ts";
import { plural, shortId } from "../../../core/format.ts";
import { bothClocks, exact } from "../../../core/time.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Table } from "../../../parts/table.tsx";

/** The reason for a refusal, which the answer did not tell the caller. */
const reasons: Record<string, string> = {
  absent: "there is no such project",
  out_of_reach: "the project is out of this token's reach",
  archived: "the project is archived",
  reaches_nothing: "this token reaches no project",
};

export function RequestRows({ requests }: { requests: readonly BrowsedRequest[] }) {
  return (
    <Table
      columns={["Time (UTC)", "Answer", "Card", "Idempotency key", { name: "Took", class: "align-right" }]}
      class="requests"
    >
      {requests.map((request, i) => (
        <Fragment key={`${request.at} ${i}`}>
          <Row request={request} />
          {request.mismatch && <Mismatch request={request} />}
        </Fragment>
      ))}
    </Table>
  );
}

function Row({ request }: { request: BrowsedRequest }) {
  const { at, status, code, reason, ms, ticket, idempotencyKey, replayed, mismatch, unlogged } = request;
  return (
    <tr class={mismatch ? "joined" : undefined}>
      <td>
        <time class="mono nowrap" dateTime={at} title={bothClocks(at)}>
          {exact(at)}
        </time>
      </td>
      <td data-label="">
        <span class="row wrap gap-5">
          <b class={`digits ${status >= 400 ? "text-err" : "text-ok"}`}>{status}</b>
          {code !== undefined && <code>{code}</code>}
          {reason !== undefined && <span class="dim">{reasons[reason] ?? reason}</span>}
          {replayed && <span class="pill info">replay</span>}
          {mismatch && (
            <span class="pill warn">
              <Icon name="alert" />
              mismatch
            </span>
          )}
          {unlogged !== undefined && <span class="dim">and {plural(unlogged, "more like it", "more like it")}</span>}
        </span>
      </td>
      <td data-label="Card">
        {ticket && (
          <span class="two-lines">
            <a class="ellipsis" href={`/cards/${ticket.id}`} data-over dir="auto" title={ticket.title ?? undefined}>
              {ticket.title ?? `…${shortId(ticket.id)}`}
            </a>
            <small class="ellipsis" dir="auto">
              {ticket.projectName ?? "deleted"}
            </small>
          </span>
        )}
      </td>
      <td data-label="Key">
        {idempotencyKey !== undefined && (
          <span class="mono ellipsis key" title={idempotencyKey}>
            {idempotencyKey}
          </span>
        )}
      </td>
      <td class="align-right digits" data-label="Took">
        {ms !== undefined && `${ms} ms`}
      </td>
    </tr>
  );
}

function Mismatch({ request: { ticket, at, differs } }: { request: BrowsedRequest }) {
  return (
    <tr class="reason">
      <td colSpan={5}>
        <b>Key reused with another body.</b> The original card was returned and nothing new was created. If you meant a
        new ticket, send a new key.
        {differs !== undefined &&
          (differs.length === 0
            ? " Only blanks or the order of the fields are others."
            : ` Other than the first time: ${differs.join(", ")}.`)}
        {ticket?.createdAt && (
          <>
            {" First "}
            <time title={bothClocks(ticket.createdAt)}>{exact(ticket.createdAt)}</time>
            {", again "}
            <time title={bothClocks(at)}>{exact(at)}</time>.
          </>
        )}
      </td>
    </tr>
  );
}
