import type { Reader, Row, Step, Tx } from "../core/store.ts";

/** What a key is bound to: the first answer, and the digest of the body that came with it. */
export interface Replay {
  ticketId: string;
  answer: string;
  bodyDigest: string;
  /** As `fieldsDigest` gives it; null for keys that were bound before it was noted. */
  fields: string | null;
}

interface ReplayRow extends Row {
  ticket_id: string;
  answer: string;
  body_digest: string;
  fields: string | null;
}

const select = "select ticket_id, answer, body_digest, fields from idempotency where binding = $1";

/** Token and key in 16 bytes; two pairs that meet are as likely as a guessed token. */
export function bindingOf(tokenId: string, key: string): Uint8Array {
  return new Uint8Array(Bun.SHA256.hash(`${tokenId} ${key}`).buffer, 0, 16);
}

/** Outside a transaction, for a request that will create nothing. */
export async function findReplay(store: Reader, tokenId: string, key: string): Promise<Replay | undefined> {
  return present(await store.one<ReplayRow>(select, [bindingOf(tokenId, key)]));
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
    `insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer, fields)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [binding, tokenId, key.value, ticketId, key.bodyDigest, answer, key.fields],
  );
}

function present(row: ReplayRow | undefined): Replay | undefined {
  return row && { ticketId: row.ticket_id, answer: row.answer, bodyDigest: row.body_digest, fields: row.fields };
}
