import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { statementTimesTable } from "../../server/store/statement-times.ts";
import { run } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(180_000);

const root = join(import.meta.dir, "../..");
const flags = ["--org", "Times", "--admin-email", "times@example.org"];

function initFromSources(env: Record<string, string>) {
  const folder = temporaryFolder();
  const command = [process.execPath, "server/main.ts", "init", "--data", join(folder, "data"), ...flags];
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd: root, env: { PATH: process.env["PATH"] ?? "", ...env } });
  rmSync(folder, { recursive: true, force: true });
  return { code: exitCode, stderr: stderr.toString() };
}

test("with INTAKE_SQL_TIMES=1 the time and count of every statement stand on stderr at the end", () => {
  const { code, stderr } = initFromSources({ INTAKE_SQL_TIMES: "1" });
  expect(code).toBe(0);
  expect(stderr).toContain("\nSQL statements: total ms, runs, µs each, share, text\n");
  // The four columns of the first board.
  expect(stderr).toMatch(/^ +[\d.]+ +4 +[\d.]+ +[\d.]+ % {2}insert into board_column /m);
});

test.each([{}, { INTAKE_SQL_TIMES: "" }])("with %j nothing is timed", (env) => {
  const { code, stderr } = initFromSources(env as Record<string, string>);
  expect([code, stderr.includes("SQL statements")]).toEqual([0, false]);
});

test("a release refuses INTAKE_SQL_TIMES with 2 and does nothing", async () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const { code, stdout, stderr } = await run(["init", "--data", data, ...flags], { env: { INTAKE_SQL_TIMES: "1" } });
  expect([code, stdout, existsSync(data)]).toEqual([2, "", false]);
  expect(stderr).toBe(
    "intake: INTAKE_SQL_TIMES is for development: a release does not time its statements; unset it\n",
  );
  rmSync(folder, { recursive: true });
});

test("the statement that took most time stands first, on one line, cut; one that never ran is left out", () => {
  const times = new Map([
    ["select 1", { nanoseconds: 1_000_000, count: 10 }],
    ["select 2", { nanoseconds: 0, count: 0 }],
    [`select\n  ${"3".repeat(200)}`, { nanoseconds: 3_000_000, count: 1 }],
  ]);
  const [, first = "", second, ...others] = statementTimesTable(times).trimEnd().split("\n");
  expect(first).toBe(`       3.0         1   3000.0  75.0 %  select ${"3".repeat(112)}…`);
  expect(second).toBe("       1.0        10    100.0  25.0 %  select 1");
  expect(others).toEqual([]);
});
