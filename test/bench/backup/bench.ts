import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { CreatedBackup } from "../../../server/backup/create-backup.ts";
import { atMost, budget } from "../budget.ts";
import { type Contestant, startIntake } from "../contestant.ts";
import { storeOne as storeReport } from "../ingest/big-table.ts";
import { fill as fillReports } from "../ingest/fill.ts";
import { freshInstallation } from "../intake.ts";
import { median } from "../median.ts";
import type { BenchOptions } from "../options.ts";
import { output } from "../output.ts";
import { prepareBinary } from "../prepare.ts";
import { progress } from "../progress.ts";
import { budgetsTable, describe } from "../report-tables.ts";
import { endWithRun, freshFolder, removeFolder } from "../scratch.ts";
import { table } from "../table.ts";
import { script } from "../tickets/compare.ts";
import { fill as fillTickets } from "../tickets/fill.ts";
import { storeOne as storeTicket } from "../tickets/store-one.ts";
import { type Load, loadOnce, requireWrk } from "../wrk.ts";
import { attachmentBytes, fillAttachments } from "./fill-attachments.ts";

export const backupParts = ["p99", "sizes", "restore"] as const;

/** For each ticket in the database. */
const reportShare = 0.3;
const attachmentShare = 0.02;

/** What a backup costs the tickets that come meanwhile, and how long and large the first and the second one are. */
export async function benchBackup({ rounds, rows, seconds, json, print, parts }: BenchOptions): Promise<boolean> {
  await requireWrk();
  const { machine, binary, leftOut } = await prepareBinary();
  const installation = await freshInstallation(binary);
  const { data, database } = installation;
  progress(`filling ${rows} tickets, ${rows * reportShare} reports, ${rows * attachmentShare} attachments`);
  await storeTicket(installation);
  await storeReport(installation);
  fillTickets(database, rows);
  fillReports(database, Math.round(rows * reportShare));
  fillAttachments(data, database, Math.round(rows * attachmentShare));
  const contestant = await startIntake("intake", installation, installation.token);
  try {
    progress("waiting until the server has indexed what was filled");
    await quiet(database);
    const sizes = parts.includes("sizes")
      ? await measureSizes(contestant, { binary, data, database, restore: parts.includes("restore") })
      : undefined;
    const pairs = parts.includes("p99") ? await measurePairs(contestant, { binary, data, rounds, seconds }) : [];
    const ratio = median(pairs.map(({ alone, beside }) => beside.p99Milliseconds / alone.p99Milliseconds));
    const budgets = [
      ...(pairs.length > 0 ? [budget("p99 of tickets, beside a backup", atMost(1.5), "×", ratio)] : []),
      ...(sizes
        ? [
            budget(
              "new in the second backup, of the first",
              atMost(5),
              "%",
              (sizes.second.addedBytes / sizes.first.addedBytes) * 100,
            ),
          ]
        : []),
    ];
    const report = { machine, rows, pairs, sizes, budgets, leftOut };
    print(json ? JSON.stringify(report) : present(report));
    return true;
  } finally {
    await contestant.stop();
  }
}

interface Pair {
  alone: Load;
  beside: Load;
}

/** Rounds without and with a backup in turns, so that what else the machine does hits both alike. */
async function measurePairs(
  contestant: Contestant,
  { binary, data, rounds, seconds }: { binary: string; data: string; rounds: number; seconds: number },
): Promise<Pair[]> {
  const load = { script, seconds };
  await loadOnce(contestant, { ...load, seconds: 2 });
  const pairs: Pair[] = [];
  for (let round = 1; round <= rounds; round++) {
    const alone = await loadOnce(contestant, load);
    const stop = backUpAgainAndAgain(binary, data);
    const beside = await loadOnce(contestant, load);
    await stop();
    pairs.push({ alone, beside });
    const [before, during] = [alone.p99Milliseconds, beside.p99Milliseconds];
    progress(`pair ${round} of ${rounds}: p99 ${before.toFixed(1)} ms alone, ${during.toFixed(1)} ms beside a backup`);
  }
  return pairs;
}

/** Makes first backups, as these have the most to do, until it is called again. */
function backUpAgainAndAgain(binary: string, data: string): () => Promise<void> {
  let going = true;
  let child: Bun.Subprocess | undefined;
  const ended = (async () => {
    while (going) {
      const to = freshFolder("backups");
      child = endWithRun(
        Bun.spawn([binary, "backup", "create", "--data", data, "--to", to], { stdio: ["ignore", "ignore", "ignore"] }),
      );
      await child.exited;
      removeFolder(to);
    }
  })();
  return async () => {
    going = false;
    child?.kill("SIGKILL");
    await ended;
  };
}

interface Sizes {
  first: CreatedBackup;
  second: CreatedBackup;
  seconds: { first: number; second: number; verify: number; restore: number | undefined };
}

async function measureSizes(
  contestant: Contestant,
  { binary, data, database, restore }: { binary: string; data: string; database: string; restore: boolean },
): Promise<Sizes> {
  const to = freshFolder("backups");
  const timed = async (what: string, args: string[]) => {
    const begun = performance.now();
    const said = await output([binary, ...args, "--json"]);
    const seconds = (performance.now() - begun) / 1_000;
    progress(`${what}: ${seconds.toFixed(1)} s`);
    return { seconds, result: JSON.parse(said) as CreatedBackup };
  };
  const create = ["backup", "create", "--data", data, "--to", to];
  const first = await timed("the first backup", create);
  await loadOnce(contestant, { script, seconds: 1 });
  await quiet(database);
  const second = await timed("the second backup", create);
  const verify = await timed("verify", ["backup", "verify", to, "--scratch", freshFolder("verify")]);
  const restored = restore
    ? await timed("restore", ["restore", to, "--data", join(freshFolder("restored"), "data")])
    : undefined;
  removeFolder(to);
  return {
    first: first.result,
    second: second.result,
    seconds: {
      first: first.seconds,
      second: second.seconds,
      verify: verify.seconds,
      restore: restored?.seconds,
    },
  };
}

const quietMilliseconds = 10_000;

/** Resolves once the server has written nothing to its database for a while. */
async function quiet(database: string): Promise<void> {
  const db = new Database(database, { readonly: true });
  const versionNow = () => db.query<{ data_version: number }, []>("pragma data_version").all()[0]?.data_version;
  try {
    for (let [version, since] = [versionNow(), performance.now()]; performance.now() - since < quietMilliseconds; ) {
      await Bun.sleep(500);
      if (versionNow() === version) continue;
      [version, since] = [versionNow(), performance.now()];
    }
  } finally {
    db.close();
  }
}

interface Report {
  machine: Parameters<typeof describe>[0];
  rows: number;
  pairs: readonly Pair[];
  sizes: Sizes | undefined;
  budgets: Parameters<typeof budgetsTable>[0];
  leftOut: readonly string[];
}

function present({ machine, rows, pairs, sizes, budgets, leftOut }: Report): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
  const pairRows = pairs.map(({ alone, beside }) => [
    alone.p99Milliseconds.toFixed(1),
    beside.p99Milliseconds.toFixed(1),
    (beside.p99Milliseconds / alone.p99Milliseconds).toFixed(2),
    (alone.answers / alone.seconds).toFixed(0),
    (beside.answers / beside.seconds).toFixed(0),
  ]);
  const sizeRows = (made: Sizes) => [
    ["first backup", megabytes(made.first.addedBytes), made.seconds.first.toFixed(1)],
    ["second backup", megabytes(made.second.addedBytes), made.seconds.second.toFixed(1)],
    ["verify", "", made.seconds.verify.toFixed(1)],
    ...(made.seconds.restore === undefined ? [] : [["restore", "", made.seconds.restore.toFixed(1)]]),
  ];
  return [
    `intake backup beside a server with ${rows} tickets, ${rows * reportShare} reports and ${rows * attachmentShare} attachments of ${attachmentBytes} bytes, to a folder on the same disk`,
    ...leftOut,
    ...(pairs.length > 0
      ? [table(["p99 alone, ms", "beside a backup, ms", "ratio", "tickets/s alone", "beside"], pairRows)]
      : []),
    ...(sizes ? [table(["", "MB new to the target", "s"], sizeRows(sizes))] : []),
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
