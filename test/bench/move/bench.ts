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
  let copies = 0;
  const newFolder = () => join(homes, String(++copies));
  const postgres = await ScratchPostgres.start({ shared_buffers: "256MB" });
  const storage = await S3Server.start();
  const newPlace = async () => {
    const { name, url } = await postgres.createDatabase();
    const env = {
      ...s3Environment,
      INTAKE_DATABASE_URL: url,
      INTAKE_FILES: storage.newPlace(),
      INTAKE_SECRET_KEY_FILE: join(homes, "secret.key"),
    };
    return { name, env };
  };
  /** A move there with ends of its own. */
  const newMove = async (): Promise<Ends> => {
    const data = newFolder();
    await Bun.$`cp -a ${installation.data} ${data}`;
    await Bun.$`rm -f ${data}/moved.json`;
    return { args: [data], env: (await newPlace()).env };
  };
  try {
    const { name, env } = await newPlace();
    const there = await moved(binary, { args: [installation.data], env });
    progress(`there: ${there.rowsPerSecond} rows/s, ${there.seconds} s with the comparison`);
    const back = await moved(binary, { args: [newFolder(), "--back"], env });
    progress(`back: ${back.rowsPerSecond} rows/s, ${back.seconds} s with the comparison`);
    const newMoveBack = async (): Promise<Ends> => {
      await postgres.administer("drop table moving_mark", name);
      return { args: [newFolder(), "--back"], env };
    };
    const killed = [
      ...(await movedWithKills(binary, newMove, { kills: rounds, seconds: there.seconds })),
      ...(await movedWithKills(binary, newMoveBack, { kills: rounds, seconds: back.seconds })),
    ];
    const same = [back, ...killed].every(({ tables }) => Bun.deepEquals(tables, there.tables));
    const budgets = [
      budget("to PostgreSQL", atLeast(50_000), "rows/s", there.rowsPerSecond),
      budget("back", atLeast(50_000), "rows/s", back.rowsPerSecond),
    ];
    const report = {
      machine,
      rows: there.rows,
      there,
      back,
      kills: rounds,
      moves: killed.length,
      same,
      budgets,
      leftOut,
    };
    print(json ? JSON.stringify(report) : present(report));
    return same;
  } finally {
    await storage.stop();
    await postgres.remove();
  }
}

interface Ends {
  args: readonly string[];
  env: Environment;
}

type Done = NonNullable<Moved["moved"]>;

async function moved(binary: string, ends: Ends): Promise<Done> {
  const done = await run(binary, ends);
  if (!done) throw new Error("a kill came after the end, so that nobody told what was moved: begin again");
  return done;
}

/** One move after the other, killed at some moment of the time that an undisturbed one takes, until all kills are done. */
async function movedWithKills(
  binary: string,
  newMove: () => Promise<Ends>,
  { kills, seconds }: { kills: number; seconds: number },
): Promise<Done[]> {
  const all: Done[] = [];
  for (let killed = 0; killed < kills; ) {
    const ends = await newMove();
    let done: Done | undefined;
    while (!done && killed < kills) {
      const after = Math.random() * seconds;
      done = await run(binary, ends, after * 1_000);
      if (!done) progress(`kill ${++killed} of ${kills} after ${after.toFixed(1)} s`);
    }
    all.push(done ?? (await moved(binary, ends)));
  }
  return all;
}

/** Undefined when it was killed. */
async function run(
  binary: string,
  { args: [data = "", ...flags], env }: Ends,
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
  /** In each direction. */
  kills: number;
  moves: number;
  same: boolean;
  budgets: Parameters<typeof budgetsTable>[0];
  leftOut: readonly string[];
}

function present({ machine, rows, there, back, kills, moves, same, budgets, leftOut }: Report): string {
  const row = (name: string, done: Done) => [name, String(done.rowsPerSecond), done.seconds.toFixed(1)];
  return [
    `intake db move of ${rows} rows, the database and the bucket on the same machine`,
    ...leftOut,
    table(["", "rows/s", "s in all, with the comparison"], [row("to PostgreSQL", there), row("back", back)]),
    `After ${kills} kills there and ${kills} back in ${moves} more moves, every table has ${same ? "the same rows" : "OTHER ROWS"}`,
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
