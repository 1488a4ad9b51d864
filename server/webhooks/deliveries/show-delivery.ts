import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Reader, Row } from "../../core/store.ts";
import { Bodies } from "../messages/bodies.ts";
import { requestHeaders, type SendingRow } from "../messages/request-headers.ts";
import { isLost, isThere } from "../messages/sealed-columns.ts";
import { listOf } from "../subscribers/subscriber-row.ts";
import { nextOf } from "./browse-deliveries.ts";
import { type RetryStep, retryTimelineOf } from "./retry-timeline.ts";
import { answerKeptMax } from "./settle.ts";

interface ShownAttempt {
  number: number;
  at: string;
  status: number | null;
  /** From a closed list; null when it was accepted. */
  error: string | null;
  /** Why nothing was sent, in words; null where something was. */
  detail: string | null;
  /** Null when nobody knows: whoever made it did not live to tell. */
  ms: number | null;
  /** Null when nothing answered; they are kept of the subscriber's last attempt alone. */
  headers: Record<string, string> | null;
  /** Of the answer's body a KiB; of the subscriber's last attempt 16. */
  answer: string | null;
  /** The body may be longer. */
  answerCut: boolean;
  /** Made again: with the secret of today. Null when that is lost. */
  signed: Record<string, string> | null;
}

interface ShownDelivery {
  id: string;
  messageId: string;
  type: string;
  eventId: string | null;
  title: string | null;
  state: "waiting" | "leased" | "delivered" | "dead";
  createdAt: string;
  endedAt: string | null;
  nextAt: string | null;
  ladder: RetryStep[];
  /** Newest first. */
  attempts: ShownAttempt[];
  request: {
    /** Path and query of the address. */
    target: string;
    /** Of ours, but for those that sign; of its own, the names. */
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

interface DeliveryRow extends SendingRow {
  delivery_id: string;
  message_id: string;
  type: string;
  event_id: string | null;
  title: string | null;
  state: ShownDelivery["state"];
  created_at: number;
  ended_at: number | null;
  next_at: number;
  tries: number;
  subscriber_state: string;
  open_until: number | null;
  header_names: string | null;
}

/** Everything of one delivery; what was sent is made again, byte for byte. */
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
  const row = await ctx.store.one<DeliveryRow>(
    `select d.id as delivery_id, d.message_id, m.type, m.event_id, e.title, d.state, d.created_at, d.ended_at, d.next_at,
       d.tries, s.state as subscriber_state, s.open_until, s.header_names,
       s.id, s.url, s.headers, s.secret, s.previous_secret, s.previous_until
     from delivery d join message m on m.id = d.message_id join subscriber s on s.id = d.subscriber_id
       left join event e on e.id = m.event_id
     where d.id = $1 and d.subscriber_id = $2 and ${isThere("s")}`,
    [input.id, input.subscriberId],
  );
  if (!row) throw new Refusal("not_found");
  const [attempts, body] = await Promise.all([
    attemptsOf(ctx.store, input.id),
    new Bodies(ctx.store).of(row.message_id),
  ]);
  if (!body) throw new Refusal("not_found");
  const nextAt = nextOf(row, { state: row.subscriber_state, open_until: row.open_until });
  const signedAt = (now: number) => (isLost(row.secret) ? null : signed(tools.sealing, row, body, now));
  const url = new URL(row.url);
  return {
    id: row.delivery_id,
    messageId: row.message_id,
    type: row.type,
    eventId: row.event_id,
    title: row.title,
    state: row.state,
    createdAt: moment(row.created_at),
    endedAt: row.ended_at === null ? null : moment(row.ended_at),
    nextAt,
    ladder: retryTimelineOf({
      tried: row.tries === 0 ? [] : attempts.slice(-row.tries),
      nextAt: nextAt === null ? null : Date.parse(nextAt),
      schedule: tools.schedule,
    }),
    attempts: attempts.toReversed().map(({ number, at, status, error, detail, milliseconds, ...kept }) => ({
      number,
      at: moment(at),
      status,
      error,
      detail,
      ms: milliseconds,
      headers: kept.headers === null ? null : (JSON.parse(kept.headers) as Record<string, string>),
      answer: kept.answer,
      answerCut: kept.answer_cut === null ? (kept.answer?.length ?? 0) >= answerKeptMax : kept.answer_cut === 1,
      signed: signedAt(at),
    })),
    request: {
      target: url.pathname + url.search,
      headers: { "content-type": "application/json" },
      ownHeaders: listOf(row.header_names),
      bytes: body.length,
      body: new TextDecoder().decode(body),
    },
  };
}

interface AttemptRow extends Row {
  number: number;
  at: number;
  status: number | null;
  error: string | null;
  detail: string | null;
  milliseconds: number | null;
  answer: string | null;
  headers: string | null;
  /** Null for all but the last attempt of the subscriber. */
  answer_cut: number | null;
}

function attemptsOf(store: Reader, id: string): Promise<AttemptRow[]> {
  return store.all<AttemptRow>(
    `select a.number, a.at, a.status, a.error, a.detail, a.milliseconds, coalesce(l.answer, a.answer) as answer, l.headers,
       l.answer_cut
     from attempt a left join last_attempt l on l.delivery_id = a.delivery_id and l.number = a.number
     where a.delivery_id = $1 order by a.number`,
    [id],
  );
}

/** The headers that sign, as an attempt of that moment has them. */
function signed(sealing: Sealing, row: DeliveryRow, body: Uint8Array, now: number): Record<string, string> {
  const headers = requestHeaders({ sealing, now }, { ...row, headers: null }, { id: row.message_id, body });
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("webhook-")));
}

function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
