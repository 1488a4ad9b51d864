import type { Warning } from "../../openapi/schema/ingest.ts";
import { isoTime } from "../core/iso-time.ts";
import type { AttachmentRow, EventRow } from "../envelope/event-row.ts";

/** A stored report as it is shown, without its attachments; pages and the command line pick members from it. */
export interface EventView {
  id: string;
  projectId: string;
  keyId: string;
  reportId: string | null;
  /** SHA-256 of the unpacked envelope. */
  digest: string;
  version: number | null;
  type: string | null;
  title: string | null;
  level: string | null;
  environment: string | null;
  release: string | null;
  userId: string | null;
  userEmail: string | null;
  tags: Record<string, string>;
  /** As the app sent it. */
  occurredAt: string | null;
  sentAt: string | null;
  receivedAt: string;
  envelopeBytes: number;
  /** Bytes that the report takes on the disk. */
  bytes: number;
  userAgent: string | null;
  sourceIp: string | null;
  deliveryCount: number;
  repeatCount: number;
  lastRepeatAt: string | null;
  warnings: Warning[];
}

export function presentEvent(row: EventRow): EventView {
  return {
    id: row.id,
    projectId: row.project_id,
    keyId: row.key_id,
    reportId: row.report_id,
    digest: row.digest,
    version: row.version,
    type: row.type,
    title: row.title,
    level: row.level,
    environment: row.environment,
    release: row.release,
    userId: row.user_id,
    userEmail: row.user_email,
    tags: tagsOf(row),
    occurredAt: row.occurred_at,
    sentAt: row.sent_at,
    receivedAt: isoTime(row.received_at),
    envelopeBytes: row.envelope_bytes,
    bytes: row.stored_bytes,
    userAgent: row.user_agent,
    sourceIp: row.source_ip,
    deliveryCount: row.delivery_count,
    repeatCount: row.repeat_count,
    lastRepeatAt: isoTime(row.last_repeat_at),
    warnings: row.warnings === null ? [] : (JSON.parse(row.warnings) as Warning[]),
  };
}

export function tagsOf({ tags }: Pick<EventRow, "tags">): Record<string, string> {
  return tags === null ? {} : (JSON.parse(tags) as Record<string, string>);
}

/** A file of a report as it is shown, whether it came or is only named by the envelope. */
export interface AttachmentView {
  /** In order of arrival, from 0; attachments that did not come have the numbers after them. */
  index: number;
  part: string;
  filename: string | null;
  contentType: string | null;
  /** The type that the first bytes of the file show. */
  sniffedType: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: AttachmentRow["state"];
}

export function presentAttachment(row: AttachmentRow): AttachmentView {
  return {
    index: row.number,
    part: row.part,
    filename: row.filename,
    contentType: row.content_type,
    sniffedType: row.sniffed_type,
    size: row.size,
    sha256: row.sha256,
    kind: row.kind,
    state: row.state,
  };
}
