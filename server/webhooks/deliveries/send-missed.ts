import type { Context } from "../../core/context.ts";
import { inBatches } from "../../core/in-batches.ts";
import { publicUrlStep } from "../../core/settings.ts";
import type { Step, Tx } from "../../core/store.ts";
import type { AttachmentRow, EventRow } from "../../envelope/event-row.ts";
import type { Links } from "../../files/links.ts";
import { reportMessage } from "../messages/message.ts";
import { insertDeliveryStep, insertMessageStep } from "./enqueue.ts";
import { type Interest, interestOf, isMissed, lastEvent, type Place, projectsOf, sliceStep } from "./missed.ts";

/** Reports that one transaction reads, so that other writes never wait long. */
const limit = 200;

/**
 * Makes deliveries of the reports that a subscriber has missed since a time (epoch milliseconds), oldest first: reports
 * that were received before this call, that the subscriber asks for, and of which it has no delivery. The answers to
 * the apps that sent the reports do not change. Ends early when the subscriber is disabled again or removed.
 */
export async function sendMissed({
  ctx,
  tools: { links },
  input: { subscriberId, since, progress },
}: {
  ctx: Context;
  tools: { links: Links };
  input: { subscriberId: string; since: number; progress?: (made: number) => void | Promise<void> };
}): Promise<{ missed: number }> {
  const interest = await interestOf(ctx, subscriberId, since);
  const until = await lastEvent(ctx.store);
  let missed = 0;
  for (const projectId of await projectsOf(ctx.store, interest)) {
    let after: Place | undefined = [since, ""];
    const step = async () => {
      if (after === undefined) return 0;
      const from = after;
      const done = await ctx.store.write((tx) =>
        sendStep(tx, { ctx, links }, interest, { projectId, subscriberId, after: from, until, limit }),
      );
      after = done.after;
      missed += done.made;
      await progress?.(missed);
      // Reads on: a slice without missed reports may be followed by one with some.
      return 1;
    };
    await inBatches(step);
  }
  return { missed };
}

function* sendStep(
  tx: Tx,
  { ctx, links }: { ctx: Context; links: Links },
  interest: Interest,
  slice: Parameters<typeof sliceStep>[1],
): Step<{ made: number; after: Place | undefined }> {
  const { subscriberId } = slice;
  // Changes nothing, but locks the row until the commit: otherwise two calls at once would each make the deliveries
  // that the other is making, on a store whose readers do not wait for writers.
  const [wanted] = yield* tx.all(
    "update subscriber set state = state where id = $1 and state in ('active', 'paused') returning id",
    [subscriberId],
  );
  if (!wanted) return { made: 0, after: undefined };
  const now = ctx.now();
  const rows = yield* sliceStep(tx, slice);
  const missed = rows.filter((row) => isMissed(row, interest));
  const publicUrl = missed.length === 0 ? "" : yield* publicUrlStep(tx, ctx.publicUrl);
  for (const { id, received_at } of missed) {
    const stored = yield* tx.one("select 1 as found from message where id = $1", [id]);
    if (!stored) yield* messageStep(tx, id, links, publicUrl);
    // Due since the report was received, so that the deliveries leave in that order.
    const dueAt = Math.min(received_at, now);
    yield* insertDeliveryStep(tx, { id: ctx.newId(), messageId: id, subscriberId, dueAt, now });
  }
  const last = rows.at(-1);
  return { made: missed.length, after: last && rows.length === slice.limit ? [last.received_at, last.id] : undefined };
}

type MessageEventRow = Pick<
  EventRow,
  "project_id" | "type" | "title" | "level" | "occurred_at" | "received_at" | "envelope_bytes"
>;
type MessageAttachmentRow = Pick<AttachmentRow, "number" | "id" | "filename" | "content_type" | "size" | "sha256">;

/** Stores the message of a report as it would have been stored with the report, had a subscriber asked for it then. */
function* messageStep(tx: Tx, eventId: string, links: Links, publicUrl: string): Step<void> {
  const event = yield* tx.one<MessageEventRow>(
    `select project_id, type, title, level, occurred_at, received_at, envelope_bytes from event where id = $1`,
    [eventId],
  );
  if (!event) return;
  const attachments = yield* tx.all<MessageAttachmentRow>(
    `select number, id, filename, content_type, size, sha256 from attachment
     where event_id = $1 and state <> 'missing' order by number`,
    [eventId],
  );
  const { project_id: projectId, type, title, level, occurred_at, received_at, envelope_bytes } = event;
  const content = reportMessage(
    {
      ...{ eventId, projectId, type, title, level },
      occurredAt: occurred_at,
      receivedAt: received_at,
      envelopeBytes: envelope_bytes,
      attachments: attachments.map(({ content_type, ...attachment }) => ({
        number: attachment.number,
        id: attachment.id,
        filename: attachment.filename,
        contentType: content_type,
        size: attachment.size,
        sha256: attachment.sha256,
      })),
    },
    links,
    publicUrl,
  );
  yield* insertMessageStep(tx, { id: eventId, eventId, type: "report.received", ...content });
}
