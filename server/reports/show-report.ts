import type { Level, Warning } from "../../openapi/schema/ingest.ts";
import { type Context, requireMember } from "../core/context.ts";
import { log } from "../core/log.ts";
import { readSettings } from "../core/settings.ts";
import type { Reader } from "../core/store.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import type { ReportContents } from "../envelope/report-contents.ts";
import type { EventView } from "../ingest/event-view.ts";
import { type RepeatView, repeatsOf } from "../ingest/repeats.ts";
import { showEvent } from "../ingest/show-event.ts";
import type { Files } from "../store/files.ts";
import { type CardLink, cardsOf } from "../tickets/report-cards.ts";
import { type ShownAttachment, shownAttachmentsOf } from "./attachment-view.ts";
import { type DeliveryOfReport, deliveriesOf } from "./report-deliveries.ts";

export interface ReportDetail extends ReportContents {
  id: string;
  projectId: string;
  projectName: string;
  reportId: string | null;
  title: string | null;
  level: Level | null;
  type: string | null;
  environment: string | null;
  release: string | null;
  userId: string | null;
  userEmail: string | null;
  tags: Record<string, string>;
  receipt: Receipt;
  /** As the app sent it. */
  occurredAt: string | null;
  sentAt: string | null;
  /** Seconds by which the sender's clock is ahead; null up to one minute. */
  clockDriftSeconds: number | null;
  userAgent: string | null;
  source: string | null;
  warnings: Warning[];
  attachments: ShownAttachment[];
  deliveries: DeliveryOfReport[];
  repeats: RepeatView[];
  cards: CardLink[];
  /** Until this time a repeat of the report is recognised, so a deleted report would not be stored again. */
  suppressedUntil: string | null;
}

/** Says that the report is stored once: when, by which SDK key, and how large it is. */
interface Receipt {
  at: string;
  key: { id: string; name: string; end: string; state: "active" | "paused" | "revoked" } | null;
  envelopeBytes: number;
  files: number;
  fileBytes: number;
  /** How often the report was received. */
  received: number;
  digest: string;
}

const driftSeconds = 60;
const dayMilliseconds = 86_400_000;

/** Collects everything that the page of a report shows. */
export async function showReport({
  ctx,
  tools: { files, reader },
  input: { id },
}: {
  ctx: Context;
  tools: { files: Files; reader: EnvelopeReader };
  input: { id: string };
}): Promise<ReportDetail> {
  requireMember(ctx);
  const { store } = ctx;
  const event = await showEvent({ ctx, input: { id } });
  const project = await store.one<{ name: string }>("select name from project where id = $1", [event.projectId]);
  const envelope = await store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [id]);
  const contents =
    envelope && (await reader.contents(envelope.bytes, event.projectId).catch((error) => damaged(id, error)));
  const attachments = await shownAttachmentsOf(store, files, id);
  const came = attachments.filter(({ state }) => state !== "missing");
  const { dedup_days: days } = await readSettings(store);
  const suppressedUntil = Date.parse(event.receivedAt) + days * dayMilliseconds;
  return {
    ...(contents ?? empty),
    id,
    projectId: event.projectId,
    projectName: project?.name ?? "",
    reportId: event.reportId,
    title: event.title,
    level: event.level as Level | null,
    type: event.type,
    environment: event.environment,
    release: event.release,
    userId: event.userId,
    userEmail: event.userEmail,
    tags: event.tags,
    receipt: {
      at: event.receivedAt,
      key: await keyOf(store, event.keyId),
      envelopeBytes: event.envelopeBytes,
      files: came.length,
      fileBytes: came.reduce((sum, { size }) => sum + (size ?? 0), 0),
      received: 1 + event.repeatCount,
      digest: event.digest,
    },
    occurredAt: event.occurredAt,
    sentAt: event.sentAt,
    clockDriftSeconds: driftOf(event),
    userAgent: event.userAgent,
    source: event.sourceIp,
    warnings: event.warnings,
    attachments,
    deliveries: await deliveriesOf(ctx, event),
    repeats: await repeatsOf(
      store,
      id,
      came.map(({ filename, part, sha256 }) => ({ name: filename ?? part, sha256 })),
    ),
    cards: await cardsOf(store, id),
    suppressedUntil: suppressedUntil > ctx.now() ? new Date(suppressedUntil).toISOString() : null,
  };
}

/** Logs that the envelope is damaged. The page still shows what the row of the report holds. */
function damaged(event: string, error: unknown): undefined {
  log.warn("the envelope of a report cannot be read", { event, error });
}

const empty: ReportContents = {
  message: null,
  exceptions: [],
  breadcrumbs: { items: [], total: 0 },
  groups: [],
  dropped: [],
};

/** How far the sender's clock is ahead. Only `sentAt` tells: an app may send a report long after it occurred. */
function driftOf({ sentAt, receivedAt }: EventView): number | null {
  const seconds = sentAt === null ? Number.NaN : (Date.parse(sentAt) - Date.parse(receivedAt)) / 1_000;
  return Math.abs(seconds) > driftSeconds ? Math.round(seconds) : null;
}

async function keyOf(store: Reader, id: string): Promise<Receipt["key"]> {
  const row = await store.one<{
    name: string;
    value: string;
    paused_at: number | null;
    revoked_at: number | null;
  }>("select name, value, paused_at, revoked_at from sdk_key where id = $1", [id]);
  if (!row) return null;
  const state = row.revoked_at !== null ? "revoked" : row.paused_at !== null ? "paused" : "active";
  return { id, name: row.name, end: row.value.slice(-4), state };
}
