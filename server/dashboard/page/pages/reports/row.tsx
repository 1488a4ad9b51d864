import { plural, whole } from "../../core/format.ts";
import { bothClocks, clock, day } from "../../core/time.ts";
import { Icon } from "../../parts/icon.tsx";
import type { ReportRow } from "./types.ts";

interface Props {
  row: ReportRow;
  index: number;
  top: number;
  open: boolean;
  selected: boolean;
  /** Whether any row is selected: then all rows show their checkboxes. */
  selecting: boolean;
  tabIndex: 0 | -1;
  onOpen: (event: MouseEvent) => void;
  onSelect: (extend: boolean) => void;
}

export function Row({ row, index, top, open, selected, selecting, tabIndex, onOpen, onSelect }: Props) {
  const { id, title, level, type, environment, release, receivedAt, received, warnings, attachments } = row;
  const name = title ?? "(untitled)";
  return (
    <article
      class={`report-row ${level ?? "none"}${selected ? " selected" : ""}${selecting ? " selecting" : ""}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-posinset={index + 1}
      aria-setsize={-1}
      aria-labelledby={`r-${id}`}
      aria-current={open ? "true" : undefined}
    >
      <span class="level" aria-hidden="true" />
      <input
        type="checkbox"
        class="select-box"
        tabIndex={-1}
        aria-label={`Select ${name}`}
        checked={selected}
        onClick={(event) => onSelect(event.shiftKey)}
      />
      <a
        id={`r-${id}`}
        class="title ellipsis"
        href={`/reports/${id}`}
        data-over
        data-row={id}
        tabIndex={tabIndex}
        title={name}
        dir="auto"
        onClick={onOpen}
      >
        {name}
      </a>
      <time dateTime={receivedAt} title={bothClocks(receivedAt)}>
        {timeOf(receivedAt)}
      </time>
      <span class="meta">
        <span>{level ?? "no level"}</span>
        {type !== null && (
          <span class="ellipsis type" title={type}>
            {type}
          </span>
        )}
        {release !== null && (
          <span class="mono ellipsis release" title={release}>
            {release}
          </span>
        )}
        {environment !== null && (
          <span class="ellipsis" title={environment}>
            {environment}
          </span>
        )}
      </span>
      <span class="badges">
        {received > 1 && (
          <span class="repeats" title={`received ${whole(received)} times, stored once`}>
            ×{whole(received)}
          </span>
        )}
        {warnings > 0 && (
          <span class="row gap-2" title={plural(warnings, "warning")}>
            <Icon name="alert" tone="warn" />
            <span class="sr-only">{plural(warnings, "warning")}</span>
          </span>
        )}
        {attachments > 0 && (
          <span class="row gap-2" title={plural(attachments, "attachment")}>
            <Icon name="clip" />
            {attachments}
            <span class="sr-only"> {attachments === 1 ? "attachment" : "attachments"}</span>
          </span>
        )}
      </span>
    </article>
  );
}

/** The time of a report; with its day unless it was received today. */
function timeOf(moment: string): string {
  const date = day(moment);
  return date === day(Date.now()) ? clock(moment, { seconds: true }) : `${date} ${clock(moment)}`;
}

/** Holds the place of a row that is being loaded again. */
export function RowGap({ top }: { top: number }) {
  return (
    <div class="report-row none" style={{ transform: `translateY(${top}px)` }} aria-hidden="true">
      <span class="level" />
      <span class="loading">
        <i />
      </span>
    </div>
  );
}
