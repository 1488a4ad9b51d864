import { ScratchPostgres } from "../../support/postgres.ts";
import { atLeast, atMost, type Budget, budget, ratio } from "../budget.ts";
import { startIntake } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { ticketLoad } from "../load-work.ts";
import { median } from "../median.ts";
import type { BenchOptions } from "../options.ts";
import { prepareBinary } from "../prepare.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { budgetsTable, describe } from "../report-tables.ts";
import { table } from "../table.ts";
import { connections, loadOnce, requireWrk } from "../wrk.ts";
import { runPgbench } from "./nine-statements.ts";

interface Row {
  name: string;
  perSecond: number;
  p99Milliseconds?: number;
  /** Per ticket, of the process and of PostgreSQL; of pgbench without its own. */
  cpuMicroseconds: { process?: number; postgres: number };
}

/**
 * Tickets of one process on a PostgreSQL of its own, durable, beside pgbench with the same statements one by one on the
 * same server. False when acknowledged tickets are missing.
 */
export async function benchPostgres({ rounds, seconds, json, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, leftOut } = await prepareBinary();
  await requireWrk();
  const postgres = await ScratchPostgres.start({ shared_buffers: "256MB" });
  try {
    const { url, name } = await postgres.createDatabase();
    const installation = await freshInstallation(binary, { INTAKE_DATABASE_URL: url });
    const intake = await startIntake("intake", installation, installation.token);
    const { load } = ticketLoad();
    let acknowledged = (await loadOnce(intake, { ...load, seconds: 3 })).answers;
    const runs: { intake: Row; pgbench: Row }[] = [];
    for (let round = 1; round <= rounds; round++) {
      const before = { process: cpuMicroseconds(intake.pid), postgres: postgres.processorSeconds() };
      const loaded = await loadOnce(intake, { ...load, seconds });
      acknowledged += loaded.answers;
      const each = {
        process: (cpuMicroseconds(intake.pid) - before.process) / loaded.answers,
        postgres: ((postgres.processorSeconds() - before.postgres) * 1e6) / loaded.answers,
      };
      const perSecond = loaded.answers / loaded.seconds;
      const nine = await runPgbench(postgres, url, installation, seconds);
      progress(`round ${round} of ${rounds}: ${perSecond.toFixed(0)} tickets/s, pgbench ${nine.perSecond.toFixed(0)}`);
      runs.push({
        intake: { name: "intake", perSecond, p99Milliseconds: loaded.p99Milliseconds, cpuMicroseconds: each },
        pgbench: {
          name: "pgbench, nine statements",
          perSecond: nine.perSecond,
          cpuMicroseconds: { postgres: nine.cpuMicroseconds },
        },
      });
    }
    await intake.stop();
    const [counted] = await postgres.administer<{ tickets: string }>(
      "select count(*) as tickets from ticket where idempotency_key is not null",
      name,
    );
    const stored = Number(counted?.tickets);
    const rows = [middle(runs.map(({ intake }) => intake)), middle(runs.map(({ pgbench }) => pgbench))];
    const right = stored >= acknowledged;
    const report = { machine, rows, acknowledged, stored, budgets: budgetsOf(rows), leftOut };
    print(json ? JSON.stringify(report) : present(report));
    return right;
  } finally {
    await postgres.remove();
  }
}

/** Medians of the rounds. */
function middle(rows: readonly Row[]): Row {
  const of = (value: (row: Row) => number | undefined) => median(rows.map((row) => value(row) ?? 0));
  const [first] = rows as [Row];
  return {
    name: first.name,
    perSecond: of(({ perSecond }) => perSecond),
    ...(first.p99Milliseconds === undefined ? {} : { p99Milliseconds: of(({ p99Milliseconds }) => p99Milliseconds) }),
    cpuMicroseconds: {
      ...(first.cpuMicroseconds.process === undefined ? {} : { process: of((row) => row.cpuMicroseconds.process) }),
      postgres: of((row) => row.cpuMicroseconds.postgres),
    },
  };
}

function budgetsOf([intake, pgbench]: readonly Row[]): Budget[] {
  const cpu = intake && (intake.cpuMicroseconds.process ?? 0) + intake.cpuMicroseconds.postgres;
  return [
    budget("tickets/s against pgbench", atLeast(4), "×", ratio(intake?.perSecond, pgbench?.perSecond)),
    budget("processor time per ticket, with PostgreSQL's", atMost(350), "µs", cpu),
    budget(`p99 at ${connections} connections`, atMost(60), "ms", intake?.p99Milliseconds),
  ];
}

interface Report {
  machine: Parameters<typeof describe>[0];
  rows: readonly Row[];
  acknowledged: number;
  stored: number;
  budgets: readonly Budget[];
  leftOut: readonly string[];
}

function present({ machine, rows, acknowledged, stored, budgets, leftOut }: Report): string {
  return [
    `Tickets of one process on PostgreSQL, durable; ${connections} connections, the database on the same machine`,
    ...leftOut,
    table(
      ["", "per second", "p99 ms", "CPU µs, process", "CPU µs, PostgreSQL"],
      rows.map(({ name, perSecond, p99Milliseconds, cpuMicroseconds: { process, postgres } }) => [
        name,
        perSecond.toFixed(0),
        p99Milliseconds?.toFixed(1) ?? "",
        process?.toFixed(0) ?? "",
        postgres.toFixed(0),
      ]),
    ),
    `${acknowledged} tickets were acknowledged, ${stored} are stored`,
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
