import type { BenchOptions } from "../options.ts";
import { prepare } from "../prepare.ts";
import type { RowCount } from "../row-count.ts";
import { connections } from "../wrk.ts";
import { compareBigTable } from "./big-table.ts";
import { attachmentBodies, attachmentSizes, smallBodies } from "./bodies.ts";
import { measureBombs } from "./bombs.ts";
import { budgetsOf } from "./budgets.ts";
import { compare } from "./compare.ts";
import { present, type Results } from "./report.ts";
import { measureUploads } from "./uploads.ts";

export const ingestParts = ["small", "attachment", "megabyte", "uploads", "bombs", "full"] as const;

const megabyteSeconds = 3;

/** False when rows do not agree with answers, or a bomb is not refused. */
export async function benchIngest({ rounds, seconds, rows, json, parts, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, withRivals, leftOut } = await prepare();
  const wanted = (part: (typeof ingestParts)[number]) => parts.includes(part);
  const options = { rounds, seconds };
  const results: Results = {};
  const small = smallBodies();
  if (wanted("small")) results.small = await compare(binary, withRivals, small, options);
  if (wanted("attachment")) {
    results.attachment = await compare(binary, withRivals, attachmentBodies(attachmentSizes.attachment), options);
  }
  if (wanted("megabyte")) {
    // Against the bare server alone and in short rounds: a second writes hundreds of megabytes.
    const short = { rounds, seconds: Math.min(seconds, megabyteSeconds) };
    results.megabyte = await compare(binary, false, attachmentBodies(attachmentSizes.megabyte), short);
  }
  if (wanted("uploads")) results.uploads = await measureUploads(binary, withRivals, rounds);
  if (wanted("bombs")) results.bombs = await measureBombs(binary, small, seconds);
  if (wanted("full")) results.full = await compareBigTable(binary, small, { rows, ...options });
  const counted = rowsOf(results);
  const report = {
    machine,
    settings: { ...options, connections },
    ...results,
    rows: counted,
    budgets: budgetsOf(results),
    leftOut,
  };
  print(json ? JSON.stringify(report) : present(report));
  return counted.every(({ right }) => right) && results.bombs?.answeredRight !== false;
}

function rowsOf({ small, attachment, megabyte, uploads, bombs, full }: Results): RowCount[] {
  const named = (part: string, rows: readonly RowCount[] = []) =>
    rows.map((row) => ({ ...row, name: `${part}: ${row.name}` }));
  return [
    ...named("small", small?.rows),
    ...named("attachment", attachment?.rows),
    ...named("megabyte", megabyte?.rows),
    ...(uploads ?? []).flatMap(({ rows, uploads }) => named(`${uploads} uploads`, [rows])),
    ...named("bombs", bombs && [bombs.rows]),
    ...named("full", full?.rows),
  ];
}
