import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

function bench(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "test/bench/bench.ts", ...args], { cwd: root });
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

const whole = "--write takes the whole report, without --only, --json or --sql-times";

test.each([
  [["tickets", "--write", "--only", "load"], whole],
  [["tickets", "--write", "--json"], whole],
  [["--write", "tickets", "--sql-times"], whole],
  [["--write", "nothing"], "there is no bench nothing"],
  [["--write", "runs", "--rounds", "0"], "--rounds must be a whole number above 0"],
  [["runs", "--sql-times"], "runs has no load whose SQL statements could be timed"],
  [["tickets", "--only", "moon"], "--only knows load, start, full, waiting, not moon"],
  [["nothing"], "there is no bench nothing"],
])("%j measures nothing and ends with 2: %s", (args, reason) => {
  const { code, stdout, stderr } = bench(...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toStartWith(`${reason}\n\nbun run bench NAME [flags]\n`);
});
