import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Reader } from "../../core/store.ts";
import { type AttemptRow, type AttemptView, attemptColumns, presentAttempt } from "../attempts/attempt-view.ts";
import { formatBody } from "../formats/format-body.ts";
import { Bodies } from "../messages/bodies.ts";
import { requestOf, type SendingRow, sendingColumns } from "../messages/request.ts";
import { isLost, isThere } from "../messages/sealed-columns.ts";
import { listOf, type SubscriberRow } from "../subscribers/subscriber-row.ts";
import {
  type DeliveryView,
  deliveryColumns,
  deliveryTables,
  presentDelivery,
  type ReadDeliveryRow,
} from "./delivery-view.ts";
import { type RetryStep, retryTimelineOf } from "./retry-timeline.ts";
import { answerKeptMax } from "./settle.ts";

interface ShownAttempt extends AttemptView {
  /** Headers of the answer; null when there was none. They are kept for the last attempt of the subscriber only. */
  headers: Record<string, string> | null;
  /** True when the body is longer than `answer`: 1 KiB is kept, and 16 KiB for the last attempt of the subscriber. */
  answerCut: boolean;
  /** The signature headers, made again with the present secret; null when that is lost. */
  signed: Record<string, string> | null;
}

interface ShownDelivery extends DeliveryView {
  retryTimeline: RetryStep[];
  /** Newest first. */
  attempts: ShownAttempt[];
  request: {
    /** Path and query of the subscriber's address. */
    target: string;
    /** The headers that Intake sets, apart from the signature; of the subscriber's own headers only the names. */
    headers: Record<string, string>;
    ownHeaders: string[];
    bytes: number;
    body: string;
  };
}

export interface ShowDeliveryTools {
  sealing: Sealing;
  schedule: readonly number[];
}

/** Both rows have an id, so in the row of this query the subscriber's is `subscriber_id`. */
type ShownRow = ReadDeliveryRow &
  Omit<SendingRow, "id"> &
  Pick<SubscriberRow, "open_until" | "header_names"> & { subscriber_state: SubscriberRow["state"] };

/**
 * Shows everything of one delivery. The request is made again: in Intake's own format byte for byte as it was sent, in
 * that of a chat as it would be sent now.
 */
export async function showDelivery({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: ShowDeliveryTools;
  input: { subscriberId: string; id: string };
}): Promise<ShownDelivery> {
  requireAdmin(ctx);
  const row = await ctx.store.one<ShownRow>(
    `select ${deliveryColumns}, s.state as subscriber_state, s.open_until, s.header_names, ${sendingColumns}
     from ${deliveryTables} join subscriber s on s.id = d.subscriber_id
     where d.id = $1 and d.subscriber_id = $2 and ${isThere("s")}`,
    [input.id, input.subscriberId],
  );
  if (!row) throw new Refusal("not_found");
  const [attempts, stored] = await Promise.all([
    attemptsOf(ctx.store, input.id),
    new Bodies(ctx.store).of(row.message_id),
  ]);
  if (!stored) throw new Refusal("not_found");
  const body = await formatBody(ctx.store, row.format, stored);
  const view = presentDelivery(row, { state: row.subscriber_state, open_until: row.open_until });
  const sending = { ...row, id: input.subscriberId };
  const signedAt = (now: number) => (isLost(row.secret) ? null : signed(tools.sealing, sending, message, now));
  const message = { id: row.message_id, body };
  const url = new URL(row.url);
  return {
    ...view,
    retryTimeline: retryTimelineOf({
      tried: row.tries === 0 ? [] : attempts.slice(-row.tries),
      nextAt: view.nextAt === null ? null : Date.parse(view.nextAt),
      schedule: tools.schedule,
    }),
    attempts: attempts.toReversed().map((attempt) => presentShown(attempt, signedAt(attempt.at))),
    request: {
      target: url.pathname + url.search,
      headers: { "content-type": "application/json" },
      ownHeaders: listOf(row.header_names),
      bytes: body.length,
      body: new TextDecoder().decode(body),
    },
  };
}

type ShownAttemptRow = AttemptRow & {
  headers: string | null;
  /** Null except for the last attempt of the subscriber. */
  answer_cut: number | null;
};

function attemptsOf(store: Reader, id: string): Promise<ShownAttemptRow[]> {
  return store.all<ShownAttemptRow>(
    `select ${attemptColumns}, coalesce(l.answer, a.answer) as answer, l.headers, l.answer_cut
     from attempt a left join last_attempt l on l.delivery_id = a.delivery_id and l.number = a.number
     where a.delivery_id = $1 order by a.number`,
    [id],
  );
}

function presentShown(row: ShownAttemptRow, signed: ShownAttempt["signed"]): ShownAttempt {
  const { headers, answer, answer_cut } = row;
  return {
    ...presentAttempt(row),
    headers: headers === null ? null : (JSON.parse(headers) as Record<string, string>),
    answerCut: answer_cut === null ? (answer?.length ?? 0) >= answerKeptMax : answer_cut === 1,
    signed,
  };
}

/** The signature headers that an attempt at that time sends. */
function signed(sealing: Sealing, subscriber: SendingRow, message: Message, now: number): Record<string, string> {
  const { headers } = requestOf({ sealing, now }, { ...subscriber, headers: null }, message);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));
}

interface Message {
  id: string;
  body: Uint8Array;
}
