import { bytes, plural } from "../../core/format.ts";
import { bothClocks, exact, span } from "../../core/time.ts";
import { Note } from "../../parts/note.tsx";
import type { ReportDetail } from "../reports/types.ts";
import { Gallery } from "./attachments.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { DeliveryList } from "./deliveries.tsx";
import { Exceptions } from "./exceptions.tsx";
import { Folded } from "./folded.tsx";
import { Values } from "./values.tsx";
import { warningWords } from "./words.ts";

/** The summary of a report, most important first: faults of the report itself, the error, what led to it, and where. */
export function Summary({
  report,
  onFilter,
  onTab,
}: {
  report: ReportDetail;
  onFilter: (term: string) => void;
  onTab: (tab: "attachments" | "deliveries") => void;
}) {
  const { warnings, dropped, message, exceptions, breadcrumbs, deliveries, attachments } = report;
  const bare = message === null && exceptions.length === 0 && breadcrumbs.items.length === 0 && deliveries.length === 0;
  return (
    <>
      {warnings.length > 0 && (
        <Note>
          <b class="strong">{plural(warnings.length, "warning")}.</b>{" "}
          {warnings.map((warning) => {
            const { name, text } = warningWords(warning);
            return (
              <span key={warning.path + text} class="warning" dir="auto">
                {name !== "" && <code>{name}</code>} {text}{" "}
              </span>
            );
          })}
        </Note>
      )}
      {dropped.length > 0 && (
        <Note tone="info">
          The app left out {plural(dropped.length, "file")} before sending:{" "}
          {dropped.map(({ filename, size, reason }, i) => (
            <span key={i} dir="auto">
              {i > 0 && "; "}
              <code>{filename ?? "unnamed"}</code>
              {size !== null && `, ${bytes(size)}`}
              {reason !== null && `, ${reason.replaceAll("_", " ")}`}
            </span>
          ))}
          .
        </Note>
      )}
      <Clock report={report} />
      <div class="with-aside">
        <div class="stack">
          {message !== null && message !== report.title && (
            <section class="section">
              <h3>Message</h3>
              <Folded text={message} />
            </section>
          )}
          <Exceptions exceptions={exceptions} />
          <Breadcrumbs breadcrumbs={breadcrumbs} occurredAt={report.occurredAt} />
          {deliveries.length > 0 && <DeliveryList report={report} onAll={() => onTab("deliveries")} />}
          {bare && (
            <p class="dim">The app sent neither a message nor an exception. The envelope has all that it sent.</p>
          )}
        </div>
        <aside class="stack" aria-label="Facts">
          {attachments.length > 0 && <Gallery report={report} onAll={() => onTab("attachments")} />}
          <Values report={report} onFilter={onFilter} />
        </aside>
      </div>
    </>
  );
}

/** Says that the sender's clock was wrong, and with it the times in the report. */
function Clock({ report: { clockDriftSeconds: drift, receipt, sentAt } }: { report: ReportDetail }) {
  if (drift === null || sentAt === null) return null;
  return (
    <Note tone="info">
      The sender's clock was {span(Math.abs(drift) * 1_000)} {drift > 0 ? "ahead" : "behind"}: it says{" "}
      <time dateTime={sentAt} title={bothClocks(sentAt)}>
        {exact(sentAt)}
      </time>{" "}
      for what was received at{" "}
      <time dateTime={receipt.at} title={bothClocks(receipt.at)}>
        {exact(receipt.at)}
      </time>
      .
    </Note>
  );
}
