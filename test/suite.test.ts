import { afterAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** How `bun run test` and `bun run verify` count: whatever keeps a test from running is a failure. */
const root = join(import.meta.dir, "..");
const folder = "dist/suite-itself";
const name = "suite-itself";

afterAll(() => {
  rmSync(join(root, folder), { recursive: true, force: true });
  rmSync(join(root, `dist/test-report-${name}.xml`), { force: true });
  rmSync(join(root, `dist/test-times-${name}.json`), { force: true });
});

/** Runs test files with these bodies beside one whose two tests pass. */
async function counted(...bodies: string[]) {
  rmSync(join(root, folder), { recursive: true, force: true });
  mkdirSync(join(root, folder), { recursive: true });
  const fine = 'test("one", () => {}); test("two", () => {});';
  const files = [fine, ...bodies].map((body, i) => {
    const path = `${folder}/file-${i}.test.ts`;
    writeFileSync(join(root, path), `import { afterAll, beforeAll, test } from "bun:test";\n${body}\n`);
    return path;
  });
  const script = `import { runTests } from "./test/suite.ts";
    const { passed, failed } = await runTests(${JSON.stringify(name)}, ${JSON.stringify(files)}, 2);
    process.stdout.write("\\n" + JSON.stringify({ passed, failed }));`;
  const runner = Bun.spawn([process.execPath, "-e", script], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse((await runner.stdout.text()).trim().split("\n").at(-1) ?? "");
}

test("tests that pass are counted, each once", async () => {
  expect(await counted()).toEqual({ passed: 2, failed: 0 });
});

test.each([
  ["a test that fails", 'test("x", () => { throw new Error("x"); });', 2],
  ["a skipped test", 'test.skip("x", () => {});', 2],
  ["a test that is to be written", 'test.todo("x");', 2],
  ["a test that times out", 'test("x", () => new Promise(() => {}), 20);', 2],
  ["a crashed runner", 'test("fine", () => {}); test("x", () => process.kill(process.pid, "SIGKILL"));', 3],
  ["a runner that ends in a test", 'test("fine", () => {}); test("x", () => process.exit(0));', 3],
  ["a file that throws at import", 'test("x", () => {}); throw new Error("x");', 2],
  ["a file that imports what is not there", 'import "./nowhere.ts"; test("x", () => {});', 2],
  ["a file without tests", "", 2],
  ["a hook that throws before", 'beforeAll(() => { throw new Error("x"); }); test("x", () => {});', 2],
  ["a hook that throws after", 'afterAll(() => { throw new Error("x"); }); test("fine", () => {});', 3],
  [
    "a rejection that nobody handles",
    'test("x", async () => { Promise.reject(new Error("x")); await Bun.sleep(9); });',
    2,
  ],
])("%s counts as one failure", async (_what, body, passed) => {
  expect(await counted(body)).toEqual({ passed, failed: 1 });
});

test("two files that throw at import beside a test that fails count as three", async () => {
  const thrown = 'throw new Error("x");';
  expect(await counted(thrown, thrown, 'test("x", () => { throw new Error("x"); });')).toEqual({
    passed: 2,
    failed: 3,
  });
});
