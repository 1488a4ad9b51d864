import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { faultsOf } from "./portable-texts.ts";

setDefaultTimeout(180_000);

const root = join(import.meta.dir, "../../..");

test("a text that one engine does not take is named, with the engine", async () => {
  const faults = await faultsOf([
    "select id from ticket where id = $1",
    "select count(*) as cards from (select 1 from ticket limit $1) as some",
    "select id from ticket for update",
    { sqlite: "select rowid from ticket", postgres: "select ctid from ticket" },
    { sqlite: "select rowid from ticket", postgres: "select rowid from ticket" },
  ]);
  expect(faults).toEqual([
    expect.stringMatching(/^SQLite: near "update": syntax error: select id from ticket for update$/),
    expect.stringMatching(/^PostgreSQL: syntax error at or near "some": select count/),
    expect.stringMatching(/^PostgreSQL: column "rowid" does not exist: select rowid from ticket$/),
  ]);
});

test("the texts that a suite runs are noted, and taken by both engines", async () => {
  const folder = mkdtempSync(join(tmpdir(), "intake-texts-"));
  const env = { ...process.env, INTAKE_SQL_TEXTS: folder };
  const run = (...words: string[]) => Bun.spawnSync([process.execPath, ...words], { cwd: root, env });
  const suite = run(
    "test",
    "--timeout=60000",
    "./test/dashboard/boards/search.test.ts",
    "--test-name-pattern",
    "in process",
  );
  expect(suite.exitCode).toBe(0);
  const check = run("test/store/postgres/check-texts.ts", folder);
  expect(check.stdout.toString()).toMatch(/^\d{2,} texts, 0 faults\n$/);
  rmSync(folder, { recursive: true });
}, 180_000);
