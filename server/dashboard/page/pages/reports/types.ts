export type { ShownAttachment as Attachment } from "../../../../ingest/attachment-view.ts";
export type { ReportList } from "../../../../ingest/list-reports.ts";
export type { Problem } from "../../../../ingest/report-query.ts";
export type { ReportRow } from "../../../../ingest/report-row.ts";
export type { ReportDetail } from "../../../../ingest/show-report.ts";
export type { Frame } from "../../../../ingest/stack-frames.ts";
export type { Suggestions } from "../../../../ingest/suggest.ts";
export type { Overview } from "../../../../overview/show-overview.ts";
export type { Volume } from "../../../../overview/show-volume.ts";
