import type { Reader, Row, Step, Tx } from "../../core/store.ts";

/** The last attempt of a subscriber, with its whole answer. */
export interface LastAttempt {
  deliveryId: string;
  /** Of its delivery, from 1. */
  number: number;
  /** Title of the report; null when it has none, or the delivery tells of something else. */
  title: string | null;
  type: string;
  at: string;
  status: number | null;
  /** From a closed list; null when it was accepted. */
  error: string | null;
  /** Why nothing was sent, in words; null where something was. */
  detail: string | null;
  /** Null when nobody knows: whoever made it did not live to tell. */
  ms: number | null;
  /** Null when nothing answered, and for attempts of earlier versions, which did not keep them. */
  headers: Record<string, string> | null;
  /** Up to 16 KiB of the answer's body. */
  answer: string | null;
  /** The body is longer than that. */
  answerCut: boolean;
}

interface LastRow extends Row {
  delivery_id: string;
  number: number;
  title: string | null;
  type: string;
  at: number;
  status: number | null;
  error: string | null;
  detail: string | null;
  milliseconds: number | null;
  headers: string | null;
  answer: string | null;
  answer_cut: number;
}

export async function lastAttemptOf(store: Reader, subscriberId: string): Promise<LastAttempt | null> {
  const row = await store.one<LastRow>(
    `select l.delivery_id, l.number, e.title, m.type, a.at, a.status, a.error, a.detail, a.milliseconds, l.headers, l.answer,
       l.answer_cut
     from last_attempt l join attempt a on a.delivery_id = l.delivery_id and a.number = l.number
       join delivery d on d.id = l.delivery_id join message m on m.id = d.message_id
       left join event e on e.id = m.event_id
     where l.subscriber_id = $1`,
    [subscriberId],
  );
  if (!row) return null;
  return {
    deliveryId: row.delivery_id,
    number: row.number,
    title: row.title,
    type: row.type,
    at: new Date(row.at).toISOString(),
    status: row.status,
    error: row.error,
    detail: row.detail,
    ms: row.milliseconds,
    headers: row.headers === null ? null : (JSON.parse(row.headers) as Record<string, string>),
    answer: row.answer,
    answerCut: row.answer_cut === 1,
  };
}

interface Answered {
  deliveryId: string;
  number: number;
  headers: Record<string, string> | undefined;
  answer: string | null;
  answerCut: boolean | undefined;
}

/** In place of the one before: of each subscriber one whole answer is kept. */
export function* keepLastAttemptStep(
  tx: Tx,
  subscriberId: string,
  { deliveryId, number, headers, answer, answerCut }: Answered,
): Step<void> {
  yield* tx.run(
    `insert into last_attempt (subscriber_id, delivery_id, number, headers, answer, answer_cut)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (subscriber_id) do update set delivery_id = excluded.delivery_id, number = excluded.number,
       headers = excluded.headers, answer = excluded.answer, answer_cut = excluded.answer_cut`,
    [subscriberId, deliveryId, number, headers ? JSON.stringify(headers) : null, answer, answerCut ? 1 : 0],
  );
}
