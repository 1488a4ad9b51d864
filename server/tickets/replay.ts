import type { Row, Step, Store, Tx } from "../core/store.ts";

/** What an `Idempotency-Key` is bound to: the first answer, and the digest of the body of its request. */
export interface Replay {
  ticketId: string;
  answer: string;
  bodyDigest: string;
  /** The fingerprints of the body's fields; null for keys that were bound before these were stored. */
  fields: string | null;
}

interface ReplayRow extends Row {
  ticket_id: string;
  answer: string;
  body_digest: string;
  fields: string | null;
}

const select = "select ticket_id, answer, body_digest, fields from answered_key where binding = $1";

/** A hash of 16 bytes over a token and a key: two pairs share a hash as rarely as somebody guesses a token. */
export function bindingOf(tokenId: string, key: string): Uint8Array {
  return new Uint8Array(Bun.SHA256.hash(`${tokenId} ${key}`).buffer, 0, 16);
}

/** Looks a key up for a request that will create nothing. */
export function findReplay(store: Store, tokenId: string, key: string): Promise<Replay | undefined> {
  const binding = bindingOf(tokenId, key);
  // As a write that changes nothing: keys that were bound a moment ago are found by writes only.
  return store.write((tx) => replayStep(tx, binding));
}

export function* replayStep(tx: Tx, binding: Uint8Array): Step<Replay | undefined> {
  return present(yield* tx.one<ReplayRow>(select, [binding]));
}

export function* bindKeyStep(
  tx: Tx,
  binding: Uint8Array,
  tokenId: string,
  key: { value: string; bodyDigest: string; fields: string },
  { ticketId, answer }: { ticketId: string; answer: string },
): Step<void> {
  yield* tx.run(
    `insert into idempotency_key (binding, token_id, key, ticket_id, body_digest, answer, fields)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [binding, tokenId, key.value, ticketId, key.bodyDigest, answer, key.fields],
  );
}

function present(row: ReplayRow | undefined): Replay | undefined {
  return row && { ticketId: row.ticket_id, answer: row.answer, bodyDigest: row.body_digest, fields: row.fields };
}
