import type { KeyAnswer, Step, Store, Tx } from "../core/store.ts";

/** What an `Idempotency-Key` is bound to: the first answer, and the digest of the body of its request. */
export type Replay = KeyAnswer;

/** A hash of 16 bytes over a token and a key: two pairs share a hash as rarely as somebody guesses a token. */
export function bindingOf(tokenId: string, key: string): Uint8Array {
  return new Uint8Array(Bun.SHA256.hash(`${tokenId} ${key}`).buffer, 0, 16);
}

/** Looks a key up outside a write, for a request that will create nothing. */
export function findReplay(store: Store, tokenId: string, key: string): Promise<Replay | undefined> {
  return store.findKey(bindingOf(tokenId, key));
}

export function replayStep(tx: Tx, binding: Uint8Array): Step<Replay | undefined> {
  return tx.findKey(binding);
}

export function bindKeyStep(
  tx: Tx,
  binding: Uint8Array,
  tokenId: string,
  key: { value: string; bodyDigest: string; fields: string },
  { ticketId, answer }: { ticketId: string; answer: string },
): Step<void> {
  const { value, bodyDigest, fields } = key;
  return tx.bindKey({ binding, tokenId, key: value, ticketId, bodyDigest, answer, fields });
}
