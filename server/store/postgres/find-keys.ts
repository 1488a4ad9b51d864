import type { KeyAnswer, Row } from "../../core/store.ts";
import type { Parameter } from "./lane.ts";

const selectKeys = `select binding, ticket_id as "ticketId", answer, body_digest as "bodyDigest", fields,
    cast(current_setting('synchronous_standby_names') <> '' as integer) as synchronous
  from idempotency where binding = any($1)`;

type Query = (sql: string, params: readonly Parameter[]) => Promise<Row[]>;

interface FoundKeys {
  /** What keys were bound to, by {@link nameOfBinding}; a key that is not bound is not in it. */
  answers: Map<string, KeyAnswer | undefined>;
  /** Whether commits wait for standbys, and a key was found, which one of them may not have yet. */
  ahead: boolean;
}

export async function findKeys(query: Query, bindings: readonly Uint8Array[]): Promise<FoundKeys> {
  const found: FoundKeys = { answers: new Map(), ahead: false };
  if (bindings.length === 0) return found;
  const rows = await query(selectKeys, [{ array: bindings, type: "BYTEA" }]);
  for (const { binding, synchronous, ...answer } of rows) {
    found.answers.set(nameOfBinding(binding as Uint8Array), answer as unknown as KeyAnswer);
    if (synchronous === 1) found.ahead = true;
  }
  return found;
}

export function nameOfBinding(binding: Uint8Array): string {
  return Buffer.from(binding.buffer, binding.byteOffset, binding.byteLength).toString("latin1");
}

/** Looks for the keys that are asked for in one turn of the event loop with one query. */
export class KeyLookups {
  readonly #query: Query;
  #bindings: Uint8Array[] = [];
  #found: Promise<FoundKeys> | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  async find(binding: Uint8Array): Promise<{ answer: KeyAnswer | undefined; ahead: boolean }> {
    this.#bindings.push(binding);
    this.#found ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#found = undefined;
        resolve(findKeys(this.#query, this.#bindings.splice(0)));
      });
    });
    const { answers, ahead } = await this.#found;
    return { answer: answers.get(nameOfBinding(binding)), ahead };
  }
}
