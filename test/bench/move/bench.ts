import { join } from "node:path";
import type { Moved } from "../../../server/app/move/move.ts";
import { ScratchPostgres } from "../../support/postgres.ts";
import { S3Server, s3Environment } from "../../support/s3-server.ts";
import { atLeast, budget } from "../budget.ts";
import { freshInstallation } from "../intake.ts";
import type { BenchOptions } from "../options.ts";
import { prepareBinary } from "../prepare.ts";
import { progress } from "../progress.ts";
import { budgetsTable, describe } from "../report-tables.ts";
import { endWithRun, freshFolder } from "../scratch.ts";
import { table } from "../table.ts";
import { fill } from "../tickets/fill.ts";
import { storeOne } from "../tickets/store-one.ts";

type Environment = Readonly<Record<string, string>>;

/**
 * `intake db move` of many tickets with their keys, to a PostgreSQL of its own that syncs, and back; then the same with a
 * kill in each round, at a random moment. False when a table has not the same rows everywhere.
 */
export async function benchMove({ rounds, rows, json, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, leftOut } = await prepareBinary();
  const installation = await freshInstallation(binary);
  await storeOne(installation);
  fill(installation.database, rows);
  const homes = freshFolder("move");
  const [copy, once, killed] = [join(homes, "copy"), join(homes, "once"), join(homes, "killed")];
  await Bun.$`cp -a ${installation.data} ${copy}`;
  const postgres = await ScratchPostgres.start({ shared_buffers: "256MB" });
  const storage = await S3Server.start();
  const newPlace = async (): Promise<Environment> => ({
    ...s3Environment,
    INTAKE_DATABASE_URL: (await postgres.createDatabase()).url,
    INTAKE_FILES: storage.newPlace(),
    INTAKE_SECRET_KEY_FILE: join(homes, "secret.key"),
  });
  try {
    const place = await newPlace();
    const there = await moved(binary, [installation.data], place);
    progress(`there: ${there.rowsPerSecond} rows/s, ${there.seconds} s with the comparison`);
    const back = await moved(binary, [once, "--back"], place);
    progress(`back: ${back.rowsPerSecond} rows/s, ${back.seconds} s with the comparison`);
    const other = await newPlace();
    const kills = { there: rounds, back: rounds };
    const after = await movedWithKills(binary, [copy], other, { kills: rounds, milliseconds: there.seconds * 1_000 });
    const afterBack = await movedWithKills(binary, [killed, "--back"], other, {
      kills: rounds,
      milliseconds: back.seconds * 1_000,
    });
    const same = [back, after, afterBack].every(({ tables }) => Bun.deepEquals(tables, there.tables));
    const budgets = [
      budget("rows/s to PostgreSQL", atLeast(50_000), "rows/s", there.rowsPerSecond),
      budget("rows/s back", atLeast(50_000), "rows/s", back.rowsPerSecond),
    ];
    const report = { machine, rows: there.rows, there, back, kills, same, budgets, leftOut };
    print(json ? JSON.stringify(report) : present(report));
    return same;
  } finally {
    await storage.stop();
    await postgres.remove();
  }
}

type Done = NonNullable<Moved["moved"]>;

async function moved(binary: string, args: readonly string[], env: Environment): Promise<Done> {
  const done = await run(binary, args, env);
  if (!done) throw new Error("a kill came after the end, so that nobody told what was moved: begin again");
  return done;
}

/** Each run but the last is killed at some moment of the time that an undisturbed one takes. */
async function movedWithKills(
  binary: string,
  args: readonly string[],
  env: Environment,
  { kills, milliseconds }: { kills: number; milliseconds: number },
): Promise<Done> {
  for (let i = 1; i <= kills; i++) {
    const after = Math.random() * milliseconds;
    const done = await run(binary, args, env, after);
    progress(`kill ${i} of ${kills} after ${(after / 1_000).toFixed(1)} s${done ? ": had ended before" : ""}`);
    if (done) return done;
  }
  return moved(binary, args, env);
}

/** Undefined when it was killed. */
async function run(
  binary: string,
  [data = "", ...flags]: readonly string[],
  env: Environment,
  killAfter?: number,
): Promise<Done | undefined> {
  const child = endWithRun(
    Bun.spawn([binary, "db", "move", "--data", data, ...flags, "--json"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    }),
  );
  const killing = killAfter === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfter);
  const [said, complaint, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(killing);
  if (child.signalCode === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`intake db move failed: ${complaint.trim().slice(-500)}`);
  return (JSON.parse(said) as Moved).moved;
}

interface Report {
  machine: Parameters<typeof describe>[0];
  rows: number;
  there: Done;
  back: Done;
  kills: { there: number; back: number };
  same: boolean;
  budgets: Parameters<typeof budgetsTable>[0];
  leftOut: readonly string[];
}

function present({ machine, rows, there, back, kills, same, budgets, leftOut }: Report): string {
  const row = (name: string, done: Done) => [name, String(done.rowsPerSecond), done.seconds.toFixed(1)];
  return [
    `intake db move of ${rows} rows, the database and the bucket on the same machine`,
    ...leftOut,
    table(["", "rows/s", "s in all, with the comparison"], [row("to PostgreSQL", there), row("back", back)]),
    `After ${kills.there} kills there and ${kills.back} back, every table has ${same ? "the same rows" : "OTHER ROWS"}`,
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
