import type { Warning } from "../../openapi/schema/ingest.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader, Row } from "../core/store.ts";

interface AttachmentView {
  /** In order of arrival, from 0; those that did not come after them. */
  index: number;
  part: string;
  filename: string | null;
  contentType: string | null;
  /** What the first bytes say. */
  sniffedType: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: string;
}

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
  /** As sent. */
  occurredAt: string | null;
  sentAt: string | null;
  receivedAt: string;
  envelopeBytes: number;
  /** What it takes on the disk. */
  bytes: number;
  userAgent: string | null;
  sourceIp: string | null;
  attachments: AttachmentView[];
  deliveryCount: number;
  repeatCount: number;
  lastRepeatAt: string | null;
  warnings: Warning[];
}

interface EventRow extends Row {
  id: string;
  project_id: string;
  key_id: string;
  report_id: string | null;
  digest: string;
  version: number | null;
  type: string | null;
  title: string | null;
  level: string | null;
  environment: string | null;
  release: string | null;
  user_id: string | null;
  user_email: string | null;
  tags: string | null;
  occurred_at: string | null;
  sent_at: string | null;
  received_at: number;
  envelope_bytes: number;
  stored_bytes: number;
  user_agent: string | null;
  source_ip: string | null;
  warnings: string | null;
  delivery_count: number;
  repeat_count: number;
  last_repeat_at: number | null;
}

interface AttachmentRow extends Row {
  number: number;
  id: string;
  part: string;
  filename: string | null;
  content_type: string | null;
  sniffed_type: string | null;
  size: number | null;
  sha256: string | null;
  kind: string;
  state: string;
}

/** Everything that is known of an event but its bytes. */
export async function showEvent({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<EventView> {
  requireMember(ctx);
  const row = await ctx.store.one<EventRow>(
    `select e.* from event e join project p on p.id = e.project_id
     where e.id = $1 and p.deleted_at is null`,
    [input.id],
  );
  if (!row) throw new Refusal("not_found", `there is no event ${input.id}`);
  const attachments = await attachmentsOf(ctx.store, input.id);
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
    tags: row.tags === null ? {} : (JSON.parse(row.tags) as Record<string, string>),
    occurredAt: row.occurred_at,
    sentAt: row.sent_at,
    receivedAt: new Date(row.received_at).toISOString(),
    envelopeBytes: row.envelope_bytes,
    bytes: row.stored_bytes,
    userAgent: row.user_agent,
    sourceIp: row.source_ip,
    attachments: attachments.map(presentAttachment),
    deliveryCount: row.delivery_count,
    repeatCount: row.repeat_count,
    lastRepeatAt: row.last_repeat_at === null ? null : new Date(row.last_repeat_at).toISOString(),
    warnings: row.warnings === null ? [] : (JSON.parse(row.warnings) as Warning[]),
  };
}

export function attachmentsOf(store: Reader, eventId: string): Promise<AttachmentRow[]> {
  return store.all<AttachmentRow>("select * from attachment where event_id = $1 order by number", [eventId]);
}

function presentAttachment(row: AttachmentRow): AttachmentView {
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
