import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UpgradeCheck } from "../../server/app/upgrade/check-upgrade.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { openDatabase } from "../../server/store/open-database.ts";
import { binaryPath, finished, run, runJson, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { fillOlder, olderDataFolder } from "../support/older-data-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createSurvivor, newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";

const newest = migrations.at(-1)?.number ?? 0;

let folder: string;
let installation: Installation;
beforeAll(async () => {
  folder = temporaryFolder();
  installation = await install();
});
afterAll(() => {
  for (const path of [folder, installation.folder]) rmSync(path, { recursive: true, force: true });
});

/** Names, sizes and times of change of everything in a data directory. */
function stateOf(data: string): string[] {
  return readdirSync(data, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const { size, mtimeMs, ino } = statSync(join(data, name));
      return `${name} ${size} ${mtimeMs} ${ino}`;
    });
}

/** A data directory as an intake of this schema has left it, with tickets. */
function older(schema: number): string {
  const data = join(folder, `schema-${schema}`);
  const db = olderDataFolder(data, schema);
  for (let i = 0; i < 50; i++) {
    db.run(
      "insert into ticket (id, column_id, position, title, priority, author_name, created_at) values (?, 'c', ?, ?, 'none', 'CI', 0)",
      [Bun.randomUUIDv7(), i, `Ticket ${i}`],
    );
  }
  db.query("pragma wal_checkpoint(truncate)").all();
  db.close();
  return data;
}

function script(name: string, text: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}

/** Words of the other binary, which answers as the one under test unless `changed` says otherwise. */
const changedIntake = (name: string, changed: string) => script(name, `${changed}\nexec "${binaryPath}" "$@"`);

test.each(migrations.slice(0, -1).map(({ number }) => number))(
  "the check of a database of schema %i tells each step and its time and changes nothing; the upgrade keeps all answers",
  async (schema) => {
    const data = join(folder, `released-${schema}`);
    const db = olderDataFolder(data, schema);
    const { token, answers, attachments } = fillOlder(db, data, schema, 5);
    db.query("pragma wal_checkpoint(truncate)").all();
    db.close();
    const before = stateOf(data);
    const checked = await runJson<UpgradeCheck>(["upgrade", "check", binaryPath, "--data", data]);
    expect(checked).toMatchObject({ schema: { from: schema, to: newest }, file: binaryPath });
    const steps = migrations.map(({ number }) => number).filter((number) => number > schema);
    expect(checked.pending.map(({ number }) => number)).toEqual(steps);
    const { rehearsal } = checked;
    expect(rehearsal?.steps.map(({ number }) => number)).toEqual(steps);
    expect(rehearsal?.seconds).toBeGreaterThan(0);
    expect(rehearsal?.steps.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThanOrEqual(
      rehearsal?.seconds ?? 0,
    );
    expect(rehearsal?.neededBytes).toBeGreaterThan(0);
    expect(rehearsal?.settings).toEqual({ gone: [], added: [] });
    expect(stateOf(data)).toEqual(before);

    const server = await serve(data);
    for (const [key, answer] of answers) {
      const replay = await createSurvivor(server.url, token, key);
      expect([replay.status, replay.headers.get("idempotency-mismatch"), await replay.text()]).toEqual([
        201,
        null,
        answer,
      ]);
    }
    expect(await server.stop()).toBe(0);
    for (const [id, bytes] of attachments) expect(readFileSync(attachmentPath(data, id), "utf8")).toBe(bytes);
    const upgraded = openDatabase(databasePath(data), { readonly: true });
    expect(upgraded.query("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    expect(upgraded.query("pragma foreign_key_check").all()).toEqual([]);
    upgraded.close();
  },
  180_000,
);

test("a running server goes on, and answers a replay with the same bytes; settings that go are named", async () => {
  const { token } = await newToken(installation);
  const data = installation.folder;
  await runJson(["settings", "set", "upgrade_copies", "2", "--data", data]);
  const file = changedIntake(
    "other-settings",
    `if [ "$1" = settings ]; then echo '{"items":[{"name":"public_url"},{"name":"brand_new"}],"next":null}'; exit 0; fi`,
  );
  const server = await serve(data);
  const key = crypto.randomUUID();
  const first = await createSurvivor(server.url, token, key);
  const bytes = await first.text();
  expect(first.status).toBe(201);
  const { rehearsal } = await runJson<UpgradeCheck>(["upgrade", "check", file, "--data", data]);
  expect(rehearsal?.settings.added).toEqual(["brand_new"]);
  expect(rehearsal?.settings.gone).toContainEqual({ name: "upgrade_copies", set: true });
  expect(rehearsal?.settings.gone.find(({ name }) => name === "public_url")).toBeUndefined();
  expect(rehearsal?.settings.gone.every(({ name, set }) => set === (name === "upgrade_copies"))).toBe(true);
  const replay = await createSurvivor(server.url, token, key);
  expect(replay.headers.get("idempotent-replayed")).toBe("true");
  expect(await replay.text()).toBe(bytes);
  expect(existsSync(join(data, "upgrade-check"))).toBe(false);
  expect(await server.stop()).toBe(0);
}, 180_000);

test("a file that is no intake is refused with its reason, and leaves nothing behind", async () => {
  const data = older(2);
  const before = stateOf(data);
  const refused: [file: string, reason: RegExp][] = [
    [join(folder, "missing"), /there is no file/],
    [folder, /is not a regular file/],
    [script("plain", "true", 0o644), /is not executable|is no intake/],
    [script("garbage", "printf 'hello\\033[31m\\n'"), /does not answer as an intake does; it wrote: hello/],
    [script("megabytes", "yes intake"), /wrote more than 1048576 bytes/],
    [script("other-json", 'echo \'{"version":"9.9.9"}\''), /does not answer as an intake/],
    [script("fails", "echo broken >&2; exit 3"), /failed \(exit 3\): broken/],
    [script("hangs", "sleep 600 & sleep 600"), /did not end within 20 s/],
    [
      changedIntake("old", `[ "$1" = --version ] && echo '{"version":"0.0.1","schema":1,"sqlite":"3"}' && exit 0`),
      /older than the database \(schema 2\).*Back: no copy with the older schema is kept/,
    ],
    [changedIntake("breaks", `[ "$2" = up ] && echo "no way" >&2 && exit 1`), /migrate up failed \(exit 1\): no way/],
  ];
  const answers = await Promise.all(
    refused.map(async ([file], i) => {
      // Each has a directory of its own, as one check at a time may use a directory.
      const own = join(folder, `refused-${i}`);
      Bun.spawnSync(["cp", "-a", data, own]);
      const { code, stderr } = await run(["upgrade", "check", file, "--data", own]);
      return { code, stderr, names: readdirSync(own) };
    }),
  );
  for (const [i, [, reason]] of refused.entries()) {
    expect(answers[i]?.stderr).toMatch(reason);
    expect(answers[i]?.stderr).not.toContain("\u001b");
    expect(answers[i]).toMatchObject({ code: 1, names: readdirSync(data) });
  }
  expect(stateOf(data)).toEqual(before);
}, 180_000);

test("the other binary gets nothing of the environment, and no shell reads its name", async () => {
  const data = older(3);
  const file = changedIntake("an $(intake) 'name'", `env > "${folder}/environment-$1"`);
  await runJson(["upgrade", "check", file, "--data", data], { env: { SECRET: "hush", INTAKE_TOKEN: "hush" } });
  const environment = await Bun.file(join(folder, "environment-migrate")).text();
  expect(environment).not.toContain("hush");
  const names = environment
    .trim()
    .split("\n")
    .map((line) => line.split("=")[0] ?? "");
  expect(names.filter((name) => !["HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"].includes(name))).toEqual([]);
}, 180_000);

test("a signal removes the copy; what a killed check leaves goes with the next one", async () => {
  const data = older(4);
  const before = stateOf(data);
  const file = changedIntake(
    "waits",
    `[ "$2" = up ] && touch "${folder}/waiting" && while [ -e "${folder}/waiting" ]; do sleep 0.1; done`,
  );
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    rmSync(join(folder, "waiting"), { force: true });
    const child = Bun.spawn([binaryPath, "upgrade", "check", file, "--data", data], {
      stdout: "pipe",
      stderr: "pipe",
      env: {},
    });
    await until(() => existsSync(join(folder, "waiting")) || undefined);
    expect(statSync(join(data, "upgrade-check")).mode & 0o777).toBe(0o700);
    const other = await run(["upgrade", "check", binaryPath, "--data", data]);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("another run of intake upgrade check")]);
    child.kill(signal);
    const { stderr } = await finished(child);
    expect(existsSync(join(data, "upgrade-check"))).toBe(signal === "SIGKILL");
    if (signal === "SIGTERM") expect(stderr).toContain("interrupted by SIGTERM; nothing was changed");
  }
  await runJson(["upgrade", "check", binaryPath, "--data", data]);
  expect(stateOf(data).filter((line) => !/-(wal|shm) /.test(line))).toEqual(before);
}, 180_000);

test("without room for the copy nothing is tried", async () => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk]).exitCode).toBe(0);
  try {
    Bun.spawnSync(["cp", "-a", older(5), join(disk, "data")]);
    const { code, stderr } = await run(["upgrade", "check", binaryPath, "--data", join(disk, "data")]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/no room to try the upgrade on a copy: that needs \d+ MB/),
    ]);
    expect(existsSync(join(disk, "data/upgrade-check"))).toBe(false);
  } finally {
    Bun.spawnSync(["umount", "--lazy", disk]);
  }
}, 180_000);
