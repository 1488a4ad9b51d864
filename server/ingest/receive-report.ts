import type { Warning } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import type { Context } from "../core/context.ts";
import { cutoffBy } from "../core/cutoff.ts";
import { publicUrlStep } from "../core/settings.ts";
import { CommitInDoubt, type Step, StoreUnavailable, type Tx } from "../core/store.ts";
import { keyStep } from "../credentials/authenticate-key.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import type { SearchWords } from "../envelope/search-words.ts";
import type { Links } from "../files/links.ts";
import type { Files } from "../store/files.ts";
import { enqueueStep, subscribersStep } from "../webhooks/deliveries/enqueue.ts";
import { type ReportMessage, reportMessage } from "../webhooks/messages/message.ts";
import { addReceiptStep, deduplicateStep } from "./deduplicate.ts";
import type { ReadEnvelope } from "./find-envelope.ts";
import { keepAttachments } from "./keep-attachments.ts";
import { type PlannedAttachment, planAttachments } from "./plan-attachments.ts";
import { type Identity, joinDigests } from "./receipt-binding.ts";
import { bytesOfRepeatKeys, type Canonicals, keepDigestsStep } from "./repeat-keys.ts";
import { addRepeatStep } from "./repeats.ts";
import type { Part } from "./spool.ts";
import { addUsageStep } from "./usage.ts";

interface Report {
  /** The SDK key that sent the report. */
  keyId: string;
  projectId: string;
  envelope: ReadEnvelope;
  /** In order of arrival. */
  attachments: readonly Part[];
  userAgent: string | null;
  /** The sender's address, cut as the settings say; null when none is kept. */
  sourceIp: string | null;
  dedupDays: number;
  /** Processor time that reading the key's large envelopes may take in 60 s. */
  readingMilliseconds: number;
  dailyBytes: number;
}

export interface ReceivedReport {
  eventId: string;
  deliveryCount: number;
  /** True for a repeat: only its arrival was stored. */
  idempotent: boolean;
  warnings: Warning[];
}

/** A report that was stored or counted as a repeat, for metrics and the index. */
export interface StoredReport {
  eventId: string;
  projectId: string;
  /** When this report was received, in epoch milliseconds; for a repeat, when the repeat was. */
  receivedAt: number;
  level: string | null;
  words: SearchWords;
  repeat: boolean;
}

interface Tools {
  files: Files;
  reader: EnvelopeReader;
  links: Links;
  stored: (report: StoredReport) => void;
}

const dayMilliseconds = 86_400_000;
/** Transactions for one report, each of which reads a few receipts. The rest is read when the report is sent again. */
const passesMax = 64;

/**
 * Stores a report as an event, exactly once. The files are durable before the transaction begins; in it the key is
 * read again, de-duplication decides whether the report is new or a repeat, and everything is stored or nothing is.
 */
export async function receiveReport({
  ctx,
  tools: { files, reader, links, stored: tell },
  input,
}: {
  ctx: Omit<Context, "actor">;
  tools: Tools;
  input: Report;
}): Promise<ReceivedReport> {
  const { envelope } = input;
  const { attachments, ...about } = input;
  const plan = () => planAttachments(attachments, envelope.index.references);
  const kept = await keepAttachments(ctx, files, attachments, plan);
  const warnings = [...envelope.index.warnings, ...kept.warnings];
  try {
    const entry = { ...about, rows: kept.rows, warnings, eventId: ctx.newId(), now: ctx.now() };
    const stored = await store(ctx, { reader, links }, entry);
    const { eventId, idempotent: repeat } = stored;
    const { projectId } = input;
    const { words, index } = envelope;
    tell({ eventId, projectId, receivedAt: entry.now, level: index.level, words, repeat });
    ctx.changed?.({ kind: "report", id: eventId, in: projectId });
    if (repeat) await kept.remove();
    return stored;
  } catch (error) {
    // A commit that is in doubt may still go through, and its rows name these files. Without rows they are swept later.
    if (!(error instanceof CommitInDoubt)) await kept.remove();
    throw error;
  }
}

interface Entry extends Omit<Report, "attachments"> {
  eventId: string;
  now: number;
  warnings: Warning[];
  rows: readonly (PlannedAttachment & { id: string })[];
}

async function store(
  ctx: Omit<Context, "actor">,
  { reader, links }: Pick<Tools, "reader" | "links">,
  entry: Entry,
): Promise<ReceivedReport> {
  let canonicals: Canonicals | undefined;
  for (let pass = 0; pass < passesMax; pass++) {
    let latest: ReceivedReport | string[] | undefined;
    const store = function* (tx: Tx): Step<ReceivedReport | string[]> {
      latest = yield* storeStep(tx, { ctx, links }, entry, canonicals);
      return latest;
    };
    const outcome = await ctx.store.write(store, {
      isolation: "group",
      order: `${entry.projectId} ${entry.envelope.index.reportId ?? ""}`,
      *stored(tx) {
        return (yield* tx.one("select id from event where id = $1", [entry.eventId])) && latest;
      },
    });
    if (!Array.isArray(outcome)) return outcome;
    canonicals = await compare(ctx, reader, entry, outcome, canonicals);
  }
  // Happens only after an upgrade, with very many reports of one id. The digests made so far are kept for the next try.
  throw new StoreUnavailable("reports of this reportId are still being compared");
}

/** Stores the report, or returns the events whose envelopes have to be compared before that can be decided. */
function* storeStep(
  tx: Tx,
  { ctx, links }: { ctx: Omit<Context, "actor">; links: Links },
  entry: Entry,
  canonicals: Canonicals | undefined,
): Step<ReceivedReport | string[]> {
  const { eventId, now, warnings } = entry;
  const { projectId } = yield* keyStep(tx, entry.keyId, now);
  const identity = identityOf(projectId, entry);
  // Two reports of one id with different contents have no unique index in common.
  if (identity.reportId !== null) yield* tx.lock("report", projectId, identity.reportId);
  const deduplicated = yield* deduplicateStep(tx, identity, { since: sinceOf(ctx, entry), now, canonicals });
  if (deduplicated.kind === "compare") return deduplicated.eventIds;
  if (deduplicated.kind === "repeat") {
    const { eventId: first, deliveryCount } = deduplicated;
    yield* addRepeatStep(tx, first, { keyId: entry.keyId, now, attachments: identity.attachments });
    return { eventId: first, deliveryCount, idempotent: true, warnings: [] };
  }
  const noted = deduplicated.reused ? [...warnings, reusedWarning] : warnings;
  const bytes = bytesOf(entry, noted) + (canonicals ? bytesOfRepeatKeys(identity.attachments) : 0);
  const topic = { projectId, type: "report.received", reportType: entry.envelope.index.type } as const;
  const subscribers = yield* subscribersStep(tx, topic);
  const deliveryCount = subscribers.length;
  const fileBytes = entry.rows.reduce((sum, { size }) => sum + (size ?? 0), 0);
  yield* addUsageStep(tx, { projectId, now, bytes, fileBytes, dailyBytes: entry.dailyBytes });
  yield* insertEventStep(tx, entry, { projectId, warnings: noted, bytes, deliveryCount });
  yield* addReceiptStep(tx, identity, { eventId, deliveryCount, now, canonical: canonicals?.ofReport ?? null });
  if (deliveryCount > 0) {
    const content = reportMessage(messageOf(entry, projectId), links, yield* publicUrlStep(tx, ctx.publicUrl));
    const message = { id: eventId, eventId, type: topic.type, ...content };
    yield* enqueueStep(tx, message, subscribers, { now, newId: ctx.newId });
  }
  return { eventId, deliveryCount, idempotent: false, warnings: noted };
}

/** The time after which the window of de-duplication begins, in epoch milliseconds. */
function sinceOf(ctx: Omit<Context, "actor">, { now, dedupDays }: Entry): number {
  return (ctx.cutoff ?? cutoffBy(() => now))(dedupDays * dayMilliseconds);
}

function messageOf({ eventId, now, envelope, rows }: Entry, projectId: string): ReportMessage {
  const { type, title, level, occurredAt } = envelope.index;
  const numbered = rows.map((row, number) => ({ ...row, number }));
  const attachments = numbered
    .filter(({ state }) => state !== "missing")
    .map(({ number, id, filename, contentType, size, digest }) => {
      return { number, id, filename, contentType, size, sha256: digest && Buffer.from(digest).toString("hex") };
    });
  return {
    eventId,
    projectId,
    type,
    title,
    level,
    occurredAt,
    receivedAt: now,
    envelopeBytes: envelope.size,
    attachments,
  };
}

/** Bytes of the rows of one event and its receipt, and of the row of an attachment, without the texts in them. */
const rowBytes = 1_024;
const attachmentRowBytes = 512;

/**
 * Estimates the bytes that a report takes on the disk, rows included: many tiny reports must count for what they take.
 */
function bytesOf({ envelope, rows }: Entry, warnings: readonly Warning[]): number {
  const { tags, title, type, release, environment, userId, userEmail } = envelope.index;
  const files = rows.reduce((sum, { size }) => sum + (size ?? 0) + attachmentRowBytes, 0);
  const texts = [title, type, release, environment, userId, userEmail, tags && JSON.stringify(tags)];
  if (warnings.length > 0) texts.push(JSON.stringify(warnings));
  const written = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0);
  return rowBytes + envelope.bytes.length + files + written;
}

const reusedWarning: Warning = {
  path: "/reportId",
  code: "report_id_reused",
  message: "Another report came with this reportId before. This one is stored as an event of its own.",
};

function identityOf(projectId: string, { envelope, rows }: Entry): Identity {
  return {
    projectId,
    reportId: envelope.index.reportId,
    digest: Uint8Array.fromHex(envelope.digest),
    attachments: joinDigests(rows.flatMap(({ digest }) => (digest ? [digest] : []))),
  };
}

/**
 * Makes the canonical digests that are missing. When the request is refused midway, the digests made so far are kept.
 */
async function compare(
  ctx: Omit<Context, "actor">,
  reader: EnvelopeReader,
  entry: Entry,
  eventIds: readonly string[],
  before: Canonicals | undefined,
): Promise<Canonicals> {
  const { envelope, keyId, readingMilliseconds } = entry;
  // A large report that was let in may make one digest beyond its key's time, or each try would start all over again.
  let first = before === undefined && envelope.size > limits.uploadBytes;
  const digestOf = (bytes: Uint8Array) => {
    const maxMilliseconds = first ? Number.POSITIVE_INFINITY : readingMilliseconds;
    first = false;
    return reader.canonical(bytes, keyId, maxMilliseconds);
  };
  const others = new Map(before?.others);
  try {
    for (const id of eventIds) {
      const row = await ctx.store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [id]);
      // The event was deleted in between. Its receipt has the digest by now, or no report equals it.
      others.set(id, row ? await digestOf(row.bytes) : new Uint8Array());
    }
    return { ofReport: before?.ofReport ?? (await digestOf(envelope.bytes)), others };
  } catch (error) {
    if (others.size === 0) throw error;
    const identity = identityOf(entry.projectId, entry);
    await ctx.store.write((tx) => keepDigestsStep(tx, identity, { since: sinceOf(ctx, entry), others }));
    throw error;
  }
}

function* insertEventStep(
  tx: Tx,
  { eventId, keyId, now, envelope, userAgent, sourceIp, rows }: Entry,
  given: { projectId: string; warnings: readonly Warning[]; bytes: number; deliveryCount: number },
): Step<void> {
  const { index } = envelope;
  yield* tx.run(
    `insert into event (id, project_id, key_id, report_id, digest, version, type, title, level, environment, release,
       user_id, user_email, tags, occurred_at, sent_at, received_at, envelope_bytes, stored_bytes, user_agent,
       source_ip, warnings, delivery_count, repeat_count)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, 0)`,
    [
      eventId,
      given.projectId,
      keyId,
      index.reportId,
      envelope.digest,
      index.version,
      index.type,
      index.title,
      index.level,
      index.environment,
      index.release,
      index.userId,
      index.userEmail,
      index.tags && JSON.stringify(index.tags),
      index.occurredAt,
      index.sentAt,
      now,
      envelope.size,
      given.bytes,
      userAgent,
      sourceIp,
      given.warnings.length > 0 ? JSON.stringify(given.warnings) : null,
      given.deliveryCount,
    ],
  );
  yield* tx.run("insert into envelope (event_id, encoding, bytes) values ($1, $2, $3)", [
    eventId,
    envelope.encoding,
    envelope.bytes,
  ]);
  for (const [number, row] of rows.entries()) {
    yield* tx.run(
      `insert into attachment (event_id, number, id, part, filename, content_type, sniffed_type, size, sha256, kind, state)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        eventId,
        number,
        row.id,
        row.part,
        row.filename,
        row.contentType,
        row.sniffedType,
        row.size,
        row.digest?.toHex() ?? null,
        row.kind,
        row.state,
      ],
    );
  }
}
