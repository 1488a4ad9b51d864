import type { Files } from "../../store/files.ts";
import { copyTable } from "./copy-table.ts";
import type { MoveSource, MoveTarget, RowTarget } from "./ends.ts";
import { MoveRefused } from "./move-refused.ts";
import { stateOf } from "./move-state.ts";
import { tablesOfSchema } from "./moved-tables.ts";

export interface MoveEstimate {
  from: string;
  to: string;
  rows: number;
  tables: Record<string, number>;
  attachments: { files: number; bytes: number };
  measured: { rowsPerSecond: number; fileMilliseconds: number; fileBytesPerSecond: number };
  /** How long the move is going to take. */
  seconds: number;
}

const rehearsalMilliseconds = 3_000;
const [smallFile, largeFile] = [1_024, 4_194_304];
/** Files are copied some at once, which makes up for the latency of most of them. */
const filesAtOnce = 8;

/**
 * Counts what would move, and moves some of it on trial: rows in a transaction that is undone, two files that are removed
 * again. Works beside servers, and refuses what the move would refuse for what stands at its ends.
 */
export async function estimateMove(source: MoveSource, target: MoveTarget): Promise<MoveEstimate> {
  const tables = tablesOfSchema();
  await source.requireSchema();
  if ((await stateOf(source, target, tables)) === "released") throw new MoveRefused("everything was moved already");
  const counts: Record<string, number> = {};
  let rows = 0;
  for (const table of tables) {
    const count = await source.count(table);
    if (count > 0) counts[table.name] = count;
    rows += count;
  }
  const [files] = await source.all<{ files: number; bytes: number | null }>(
    "select count(*) as files, sum(size) as bytes from attachment where state <> 'missing'",
  );
  const attachments = { files: files?.files ?? 0, bytes: files?.bytes ?? 0 };
  const { rowsPerSecond, ...ofFiles } = await measure(source, target);
  // Rows are read once more to compare them, which takes about half as long.
  const seconds =
    (1.5 * rows) / rowsPerSecond +
    (attachments.files * ofFiles.fileMilliseconds) / 1_000 / filesAtOnce +
    attachments.bytes / ofFiles.fileBytesPerSecond;
  return {
    ...{ from: source.words, to: target.words, rows, tables: counts, attachments },
    measured: { rowsPerSecond: Math.round(rowsPerSecond), ...ofFiles },
    seconds: Math.ceil(seconds),
  };
}

async function measure(source: MoveSource, target: MoveTarget) {
  const trial = await target.rehearsal();
  try {
    return { ...(await measureFiles(trial.files)), rowsPerSecond: await measureRows(source, trial) };
  } finally {
    await trial.close();
  }
}

async function measureRows(source: MoveSource, trial: RowTarget): Promise<number> {
  const begun = performance.now();
  const until = begun + rehearsalMilliseconds;
  let rows = 0;
  for (const table of tablesOfSchema()) {
    if (performance.now() > until) break;
    rows += (await copyTable(source, trial, table, { until })).rows;
  }
  return rows / Math.max(0.001, (performance.now() - begun) / 1_000);
}

async function measureFiles(files: Files) {
  const keep = async (size: number) => {
    const [id, bytes] = [Bun.randomUUIDv7(), crypto.getRandomValues(new Uint8Array(1_024))];
    const content = new Uint8Array(size).map((_, i) => bytes[i % bytes.length] as number);
    const begun = performance.now();
    await files.keepBytes(content, id, () => Bun.SHA256.hash(content) as unknown as Uint8Array);
    const milliseconds = performance.now() - begun;
    await files.remove([id]);
    return milliseconds;
  };
  await keep(smallFile);
  const fileMilliseconds = Math.round(await keep(smallFile));
  const large = Math.max(1, (await keep(largeFile)) - fileMilliseconds);
  return { fileMilliseconds, fileBytesPerSecond: Math.round((largeFile / large) * 1_000) };
}
