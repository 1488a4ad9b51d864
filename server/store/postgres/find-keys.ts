import type { KeyAnswer, Row } from "../../core/store.ts";
import type { Parameter } from "./lane.ts";

const selectKeys = `select binding, ticket_id as "ticketId", answer, body_digest as "bodyDigest", fields
  from idempotency where binding = any($1)`;

type Query = (sql: string, params: readonly Parameter[]) => Promise<Row[]>;

/** What keys were bound to, by {@link nameOfBinding}; a key that is not bound is not in it. */
export async function findKeys(
  query: Query,
  bindings: readonly Uint8Array[],
): Promise<Map<string, KeyAnswer | undefined>> {
  const found = new Map<string, KeyAnswer | undefined>();
  if (bindings.length === 0) return found;
  const rows = await query(selectKeys, [{ array: bindings, type: "BYTEA" }]);
  for (const { binding, ...answer } of rows) {
    found.set(nameOfBinding(binding as Uint8Array), answer as unknown as KeyAnswer);
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
  #found: Promise<Map<string, KeyAnswer | undefined>> | undefined;

  constructor(query: Query) {
    this.#query = query;
  }

  async find(binding: Uint8Array): Promise<KeyAnswer | undefined> {
    this.#bindings.push(binding);
    this.#found ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#found = undefined;
        resolve(findKeys(this.#query, this.#bindings.splice(0)));
      });
    });
    return (await this.#found).get(nameOfBinding(binding));
  }
}
