import { useEffect, useRef, useState } from "preact/hooks";
import { isAdmin } from "../../core/boot.ts";
import { copy } from "../../core/copy.ts";
import { bytes, plural, whole } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { useLoad } from "../../core/load.ts";
import { narrow } from "../../core/narrow.ts";
import { place, setQuery } from "../../core/router.ts";
import { say } from "../../core/say.ts";
import { Icon } from "../../parts/icon.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Receipt } from "../../parts/receipt.tsx";
import { Failed, Rows } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { ReportDetail } from "../reports/types.ts";
import { Attachments } from "./attachments.tsx";
import { readReport } from "./calls.ts";
import { CardForm } from "./card-form.tsx";
import { DeleteReport } from "./delete.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EnvelopeTab } from "./envelope/lazy.tsx";
import { LevelPill } from "./level-pill.tsx";
import { Repeats } from "./repeats.tsx";
import { Summary } from "./summary.tsx";

const tabNames = ["summary", "envelope", "attachments", "deliveries", "repeats"] as const;
type TabName = (typeof tabNames)[number];

interface DetailProps {
  id: string;
  /** Goes back to the list; absent when the report stands alone. */
  onClose?: (() => void) | undefined;
  /** Called when a person chooses a value to filter the list by. */
  onFilter: (term: string, report: ReportDetail) => void;
  onDeleted: (report: ReportDetail) => void;
  /** Called when a report is shown, and with undefined when it could not be read or is gone. */
  onShown?: (report: ReportDetail | undefined) => void;
}

/** Everything about one report, in tabs. */
export function Detail({ id, onClose, onFilter, onDeleted, onShown }: DetailProps) {
  // The tab stands in the address, so that a reload and a link show the same one.
  const chosen = place.value.query.get("tab");
  const tab = tabNames.find((name) => name === chosen) ?? "summary";
  const setTab = (name: TabName) => setQuery({ tab: name === "summary" ? undefined : name });
  const shown = useRef<ReportDetail | undefined>(undefined);
  const loaded = useLoad(id, () => readReport(id), {
    kinds: ["report", "delivery", "card"],
    about: (change) => isPartOf(shown.current, change.id) || change.id === id,
  });
  const { data, failed } = loaded;
  // While the next report loads, the one before stays, so that nothing flashes between two reports of a list.
  if (data) shown.current = data;
  const report = data ?? (failed ? undefined : shown.current);
  useEffect(() => {
    if (data || failed) onShown?.(data);
  }, [data, failed]);

  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current) box.current.scrollTop = 0;
  }, [data?.id]);

  return (
    <section class="detail" aria-label="Report" aria-busy={data === undefined} ref={box}>
      {onClose && (
        <header class="bar back">
          <button type="button" class="btn ghost square" aria-label="Back to the reports" onClick={onClose}>
            <Icon name="left" />
          </button>
          <b class="grow">Report</b>
          {report && narrow.value && <Acts report={report} onDeleted={onDeleted} onCard={loaded.reload} />}
        </header>
      )}
      {report ? (
        <div class="padded">
          <StoredOnce report={report} />
          <div class="row head">
            <LevelPill level={report.level} />
            <h2 class="grow title" dir="auto">
              {report.title ?? "(untitled)"}
            </h2>
            {!(narrow.value && onClose) && <Acts report={report} onDeleted={onDeleted} onCard={loaded.reload} />}
          </div>
          {report.cards.length > 0 && <Cards report={report} />}
          <Tabs<TabName>
            label="Parts of the report"
            tabs={[
              { name: "summary", label: "Summary" },
              { name: "envelope", label: "Envelope" },
              { name: "attachments", label: "Attachments", count: report.attachments.length || undefined },
              { name: "deliveries", label: "Deliveries", count: deliveredOf(report) },
              { name: "repeats", label: "Repeats", count: report.receipt.received - 1 || undefined },
            ]}
            chosen={tab}
            onChoose={setTab}
          />
          <div role="tabpanel" aria-label={tab} class="stack">
            {tab === "summary" && (
              <Summary report={report} onFilter={(term) => onFilter(term, report)} onTab={setTab} />
            )}
            {tab === "envelope" && <EnvelopeTab report={report} />}
            {tab === "attachments" && <Attachments report={report} />}
            {tab === "deliveries" && <Deliveries report={report} />}
            {tab === "repeats" && <Repeats report={report} />}
          </div>
        </div>
      ) : (
        <div class="padded">
          {failed && <Failed failed={failed} onRetry={loaded.reload} />}
          {loaded.waiting && <Rows count={5} height={34} />}
        </div>
      )}
    </section>
  );
}

function isPartOf(report: ReportDetail | undefined, id: string): boolean {
  return [...(report?.deliveries ?? []), ...(report?.cards ?? [])].some((part) => part.id === id);
}

function StoredOnce({ report: { receipt } }: { report: ReportDetail }) {
  const { key, envelopeBytes, files, fileBytes, received } = receipt;
  return (
    <Receipt stamp="Stored once" at={receipt.at}>
      <span class="row gap-5">
        <Icon name="key" small />
        {key ? (
          <>
            <b class="ellipsis" dir="auto" title={key.name}>
              {key.name}
            </b>
            ····{key.end}
            {key.state !== "active" && <span class="text-warn">{key.state}</span>}
          </>
        ) : (
          "key deleted"
        )}
      </span>
      <span>
        {bytes(envelopeBytes)}
        {files > 0 && ` + ${plural(files, "file")}, ${bytes(fileBytes)}`}
      </span>
      <span>received {whole(received)}×</span>
    </Receipt>
  );
}

/** How many subscribers have received the report, of all that should. */
function deliveredOf({ deliveries }: ReportDetail): string | undefined {
  if (deliveries.length === 0) return undefined;
  return `${deliveries.filter(({ state }) => state === "delivered").length}/${deliveries.length}`;
}

function Acts({
  report,
  onDeleted,
  onCard,
}: {
  report: ReportDetail;
  onDeleted: (report: ReportDetail) => void;
  onCard: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const [making, setMaking] = useState(false);
  useShortcuts([
    { keys: "y", does: "Copy link", run: () => copyLink(report) },
    { keys: "Y", does: "Copy id", run: () => copyId(report) },
    { keys: "c", does: "Create a card from the report", run: () => setMaking(true) },
  ]);
  return (
    <span class="row gap-5">
      <button
        type="button"
        class="btn ghost square"
        aria-label="Copy link"
        title="Copy link"
        onClick={() => copyLink(report)}
      >
        <Icon name="link" />
      </button>
      <button
        type="button"
        class={narrow.value ? "btn ghost square" : "btn"}
        aria-label="Create card"
        onClick={() => setMaking(true)}
      >
        <Icon name="plus" small={!narrow.value} />
        {!narrow.value && "Create card"}
      </button>
      <Menu
        label="More"
        items={[
          { label: "Copy id", icon: "copy", run: () => copyId(report) },
          { label: "Download the envelope", icon: "down", run: () => download(report) },
          ...(isAdmin.value
            ? [{ label: "Delete report…", icon: "trash" as const, danger: true, run: () => setAsking(true) }]
            : []),
        ]}
      />
      {making && <CardForm reportIds={[report.id]} onCreated={onCard} onClose={() => setMaking(false)} />}
      {asking && <DeleteReport report={report} onClose={() => setAsking(false)} onDeleted={() => onDeleted(report)} />}
    </span>
  );
}

function Cards({ report }: { report: ReportDetail }) {
  return (
    <p class="row wrap cards-of">
      <Icon name="ticket" small tone="accent" />
      {report.cards.length === 1 ? "Card" : "Cards"}
      {report.cards.map(({ id, title, archived }) => (
        <a key={id} href={`/cards/${id}`} data-over class="ellipsis" dir="auto" title={title}>
          {title}
          {archived && " (archived)"}
        </a>
      ))}
    </p>
  );
}

async function copyLink({ id }: ReportDetail) {
  tell(await copy(`${location.origin}/reports/${id}`), "Link copied");
}

async function copyId({ id }: ReportDetail) {
  tell(await copy(id), "Id copied");
}

function tell(copied: boolean, done: string) {
  if (copied) say(done);
  else say("The browser does not let this page copy.", { bad: true });
}

function download({ id }: ReportDetail) {
  const link = document.createElement("a");
  link.href = `/internal/reports/${id}/envelope`;
  link.download = "";
  link.click();
}
