import type { MoveEnd, Progress } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";
import type { MovedTable } from "./moved-tables.ts";
import { RowDigest } from "./row-digest.ts";

export interface TableMoved {
  rows: number;
  digest: string;
}

/** Keys whose stored answers are compared. */
const keysMax = 1_000;

/**
 * Throws unless both ends have the same rows: as many as were read from the source, with the digest that these had, and
 * some idempotency keys with the same answers, byte for byte, found as a server finds them. Returns how many keys.
 */
export async function compareEnds(
  source: MoveEnd,
  target: MoveEnd,
  { tables, copied, out }: { tables: readonly MovedTable[]; copied: ReadonlyMap<string, TableMoved>; out: Progress },
): Promise<number> {
  for (const table of tables) {
    const there = copied.get(table.name);
    out.progress(`comparing ${table.name}`);
    const stands = await source.count(table);
    const digest = new RowDigest();
    for await (const lines of target.read(table)) digest.add(lines);
    if (stands === there?.rows && digest.rows === stands && digest.hex === there.digest) continue;
    throw differs(table.name, `${stands} rows at the source, ${there?.rows} were read, ${digest.rows} in the target`);
  }
  const bindings = await source.someKeys(keysMax);
  const [before, after] = [await source.findKeys(bindings), await target.findKeys(bindings)];
  for (const [i, key] of before.entries()) {
    if (key === undefined || !Bun.deepEquals(key, after[i])) throw differs("idempotency", "a key has another answer");
  }
  return bindings.length;
}

function differs(table: string, what: string): MoveRefused {
  return new MoveRefused(
    `${table} is not the same at both ends: ${what}. The source was left as it is, and the target is not released: give the move up at both, and begin with an empty target`,
  );
}
