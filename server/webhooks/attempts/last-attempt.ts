import type { Reader, Step, Tx } from "../../core/store.ts";
import { type AttemptRow, type AttemptView, attemptColumns, presentAttempt } from "./attempt-view.ts";

/** The last attempt of a subscriber, with up to 16 KiB of the answer's body. */
export interface LastAttempt extends AttemptView {
  deliveryId: string;
  /** Title of the report; null when it has none, or the delivery is not about a report. */
  title: string | null;
  type: string;
  /** Headers of the answer. Null without an answer, and for attempts of earlier versions, which did not store them. */
  headers: Record<string, string> | null;
  /** The body is longer than `answer`. */
  answerCut: boolean;
}

type LastRow = AttemptRow & {
  title: string | null;
  type: string;
  headers: string | null;
  answer_cut: number;
};

export async function lastAttemptOf(store: Reader, subscriberId: string): Promise<LastAttempt | null> {
  const row = await store.one<LastRow>(
    `select ${attemptColumns}, l.delivery_id, e.title, m.type, l.headers, l.answer, l.answer_cut
     from last_attempt l join attempt a on a.delivery_id = l.delivery_id and a.number = l.number
       join delivery d on d.id = l.delivery_id join message m on m.id = d.message_id
       left join event e on e.id = m.event_id
     where l.subscriber_id = $1`,
    [subscriberId],
  );
  if (!row) return null;
  return {
    ...presentAttempt(row),
    deliveryId: row.delivery_id,
    title: row.title,
    type: row.type,
    headers: row.headers === null ? null : (JSON.parse(row.headers) as Record<string, string>),
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

/** Replaces the last attempt of the subscriber: one whole answer is kept for each subscriber. */
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
