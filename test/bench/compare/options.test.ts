import { expect, test } from "bun:test";
import { join } from "node:path";
import { parseCompare } from "./options.ts";

const root = join(import.meta.dir, "../../..");

function bench(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "test/bench/bench.ts", ...args], { cwd: root });
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("without a name tickets are compared, for 90 seconds", () => {
  const options = { work: "tickets", to: "main", from: undefined, seconds: 90, json: false };
  expect(parseCompare(["--to", "main"])).toEqual(options as ReturnType<typeof parseCompare>);
});

test("a work and every flag are read in any order", () => {
  const args = ["--json", "idle", "--from", "dist/intake", "--seconds", "50", "--to", "HEAD~3"];
  const options = { work: "idle", to: "HEAD~3", from: "dist/intake", seconds: 50, json: true };
  expect(parseCompare(args)).toEqual(options as ReturnType<typeof parseCompare>);
});

test.each([
  [[], "compare needs --to COMMIT or --to BINARY"],
  [["--to", ""], "compare needs --to COMMIT or --to BINARY"],
  [["fanout", "--to", "main"], "compare knows tickets, log, ingest, attachment, idle, not fanout"],
  [["tickets", "ingest", "--to", "main"], "compare measures one work at a time"],
  [["--to", "main", "--seconds", "39"], "--seconds must be a whole number from 40"],
  [["--to", "main", "--seconds", "1.5"], "--seconds must be a whole number from 40"],
  [["--to", "main", "--rounds", "3"], "Unknown option '--rounds'"],
])("%j is refused: %s", (args, reason) => {
  expect(parseCompare(args)).toStartWith(reason);
});

test("a call that makes no sense ends with 2, names the reason and shows the help of compare", () => {
  const { code, stdout, stderr } = bench("compare");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toStartWith("compare needs --to COMMIT or --to BINARY\n\nbun run bench compare --to ");
});

test("neither a file nor a commit ends with 2 before anything is built or measured", () => {
  const { code, stderr } = bench("compare", "--to", "no-such-commit");
  expect([code, stderr]).toEqual([2, "--to no-such-commit is neither a file nor a commit\n"]);
});

test("a binary that is not there ends with 2", () => {
  const { code, stderr } = bench("compare", "--to", process.execPath, "--from", "dist/no-such-binary");
  expect([code, stderr]).toEqual([2, "--from dist/no-such-binary is no file\n"]);
});

test("--help of compare names every work and ends with 0", () => {
  const { code, stdout } = bench("compare", "--help");
  expect(code).toBe(0);
  for (const work of ["tickets", "ingest", "attachment", "idle"]) expect(stdout).toContain(`\n  ${work} `);
});
