export type { Frame } from "../../../../envelope/stack-frames.ts";
export type { Overview } from "../../../../overview/show-overview.ts";
export type { Volume } from "../../../../overview/show-volume.ts";
export type { ShownAttachment as Attachment } from "../../../../reports/attachment-view.ts";
export type { ReportList } from "../../../../reports/list-reports.ts";
export type { Problem } from "../../../../reports/parse-report-query.ts";
export type { ReportRow } from "../../../../reports/report-row.ts";
export type { ReportDetail } from "../../../../reports/show-report.ts";
export type { Suggestions } from "../../../../reports/suggest.ts";
