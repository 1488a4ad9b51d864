import type { Statement } from "bun:sqlite";
import { writeSync } from "node:fs";

/** What is used of a statement that is kept. */
export type KeptStatement = Pick<Statement, "all" | "finalize">;

/** `build.ts` puts the word there; run from the sources nothing does. */
const release = process.env.INTAKE_BUILD === "release";

/** Whether INTAKE_SQL_TIMES asks for the times; for development only. */
const timesStatements = !release && Boolean(process.env.INTAKE_SQL_TIMES);

/** Whether INTAKE_SQL_TIMES is set where it has no effect: a release has no timer. */
export function asksReleaseForTimes(environment: NodeJS.ProcessEnv): boolean {
  return release && Boolean(environment.INTAKE_SQL_TIMES);
}

interface Times {
  nanoseconds: number;
  count: number;
}

const times = new Map<string, Times>();

/** The statement, or with INTAKE_SQL_TIMES one that notes how long each run of it takes. */
export function timed(statement: Statement, sql: string): KeptStatement {
  if (!timesStatements) return statement;
  if (times.size === 0) process.on("exit", () => void writeSync(2, statementTimesTable(times)));
  const own = times.get(sql) ?? { nanoseconds: 0, count: 0 };
  times.set(sql, own);
  return {
    all(...params: Parameters<Statement["all"]>) {
      const began = Bun.nanoseconds();
      try {
        return statement.all(...params);
      } finally {
        own.nanoseconds += Bun.nanoseconds() - began;
        own.count++;
      }
    },
    finalize: () => statement.finalize(),
  };
}

const textMax = 120;

/** A line for each statement that ran, the one that took most time first. */
export function statementTimesTable(times: ReadonlyMap<string, Times>): string {
  const ran = [...times].filter(([, { count }]) => count > 0);
  const sorted = ran.sort(([, one], [, other]) => other.nanoseconds - one.nanoseconds);
  const total = sorted.reduce((sum, [, { nanoseconds }]) => sum + nanoseconds, 0);
  const head = "SQL statements: total ms, runs, µs each, share, text";
  const lines = sorted.map(([sql, { nanoseconds, count }]) => {
    const numbers = [
      (nanoseconds / 1e6).toFixed(1).padStart(10),
      String(count).padStart(10),
      (nanoseconds / 1e3 / count).toFixed(1).padStart(9),
      `${((100 * nanoseconds) / total).toFixed(1)} %`.padStart(8),
    ];
    const text = sql.replace(/\s+/g, " ").trim();
    return `${numbers.join("")}  ${text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text}`;
  });
  return `${[head, ...lines].join("\n")}\n`;
}
