import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { run, runJson } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const newest = migrations.at(-1)?.number ?? 0;
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("copies of all upgrades are listed, newest first, and one with a wrong byte or another schema is found", async () => {
  type Listed = { schema: number; nextSchema: number; madeAt: string; bytes: number; path: string; verified: string };
  const list = () => runJson<{ items: Listed[] }>(["migrate", "copies", "--data", folder]);
  const upTo = (schema: number) =>
    migrate(
      folder,
      migrations.filter(({ number }) => number <= schema),
    );
  upTo(1);
  expect((await list()).items).toEqual([]);
  const begun = new Date().toISOString();
  upTo(9);
  upTo(newest);
  const { items } = await list();
  expect(items).toMatchObject([
    { schema: 9, nextSchema: newest, committed: true, verified: "when made" },
    { schema: 1, nextSchema: 9, committed: true, verified: "when made" },
  ] as object[]);
  for (const { madeAt, bytes, path } of items) {
    expect(madeAt >= begun && madeAt <= new Date().toISOString()).toBe(true);
    expect(bytes).toBe(statSync(path).size);
  }
  const verify = ["migrate", "copies", "--verify", "--data", folder];
  expect(await run(verify)).toMatchObject({ code: 0, stdout: expect.stringMatching(/ now .*\n.* now /) });

  const [later = { path: "" }, earlier = { path: "" }] = items;
  const bytes = readFileSync(later.path);
  bytes.fill(0xff, 4_096, 8_192);
  writeFileSync(later.path, bytes);
  writeFileSync(earlier.path, readFileSync(databasePath(folder)));
  const refused = await run([...verify, "--json"]);
  expect(refused.code).toBe(1);
  const [damaged, other] = (JSON.parse(refused.stdout) as { items: Listed[] }).items;
  expect(damaged?.verified).toMatch(/^no: it (is damaged|cannot be read)/);
  expect(other?.verified).toBe(`no: it has schema ${newest}, and its name says 1`);
}, 180_000);
