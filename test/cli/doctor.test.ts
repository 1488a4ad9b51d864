import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, lchownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { Finding } from "../../server/app/doctor/finding.ts";
import { findingCodes } from "../../server/app/doctor/finding-codes.ts";
import { backupVerifiedStep, beginBackupTryStep, endBackupTryStep } from "../../server/core/backup-tries.ts";
import { run, runJson, serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { withStoreOf } from "../support/open-store.ts";

setDefaultTimeout(180_000);

let folder: DataFolder;
let data: string;
let project: string;

beforeAll(async () => {
  folder = await newDataFolder();
  data = folder.folder;
  const init = ["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"];
  project = (await runJson<{ project: { id: string } }>(init)).project.id;
});
afterAll(() => folder.remove());

async function doctor(): Promise<{ code: number; ok: boolean; checks: Finding[] }> {
  const { code, stdout, stderr } = await run(["doctor", "--json", "--data", data]);
  expect(stderr).toBe("");
  return { code, ...(JSON.parse(stdout) as { ok: boolean; checks: Finding[] }) };
}

/** Codes of what is wrong. How fast the disk of this machine is, is another matter. */
const codesIn = ({ checks }: { checks: Finding[] }) =>
  checks.flatMap(({ code }) => (code === "ok" || code === "disk_slow" ? [] : [code]));

test("a sound installation has nothing but ok, also as lines, and nothing is left in the directory", async () => {
  const found = await doctor();
  expect([codesIn(found), found.code, found.ok]).toEqual([[], 0, true]);
  const { stdout } = await run(["doctor", "--data", data]);
  expect(stdout).toContain("ok    attachments: 0 attachments have their files\n");
  expect(stdout).toContain("not asked: no server runs");
  expect(readdirSync(data).filter((name) => name.startsWith("doctor"))).toEqual([]);
});

test("an error fails, and has a code, a severity and a remedy that its text ends with", async () => {
  chmodSync(data, 0o755);
  const found = await doctor();
  chmodSync(data, 0o700);
  expect([codesIn(found), found.code, found.ok]).toEqual([["folder_mode"], 1, false]);
  const finding = found.checks.find(({ code }) => code === "folder_mode");
  expect(finding).toMatchObject({ severity: "error", ok: false, remedy: `run: chmod 700 ${data}` });
  expect(finding?.text).toEndWith(`; ${finding?.remedy}`);
});

test.if(process.getuid?.() === 0)("files of another user are named, and links are not followed", async () => {
  const path = `${data}/stray`;
  writeFileSync(path, "");
  symlinkSync("/etc/hostname", `${data}/link`);
  lchownSync(path, 65_534, 65_534);
  mkdirSync(`${data}/attachments/2026-01-01`, { recursive: true, mode: 0o700 });
  mkdirSync(`${data}/lost+found`);
  for (const name of ["attachments/2026-01-01", "lost+found"]) lchownSync(`${data}/${name}`, 65_534, 65_534);
  const found = await doctor();
  expect([codesIn(found), found.code]).toEqual([["file_owner"], 1]);
  expect(found.checks.find(({ code }) => code === "file_owner")?.text).toContain(
    "2 entries of the data directory (stray, attachments/2026-01-01)",
  );
  for (const name of [path, `${data}/link`, `${data}/attachments/2026-01-01`, `${data}/lost+found`]) {
    rmSync(name, { recursive: true });
  }
});

test("disabled and failing subscribers and dead deliveries are warnings, which do not fail", async () => {
  const add = async () =>
    (
      await runJson<{ id: string }>([
        ...["subscriber", "add", "--project", project, "--url", "http://127.0.0.1:9", "--data", data],
        ...["--webhook-allow", "127.0.0.0/8"],
      ])
    ).id;
  const [disabled, failing] = [await add(), await add()];
  await withStoreOf(data, (store) =>
    store.write(function* (tx) {
      yield* tx.run("update subscriber set state = 'disabled', reason = 'gone' where id = $1", [disabled]);
      yield* tx.run("update subscriber set openings = 2, failures = 6 where id = $1", [failing]);
      yield* tx.run("insert into message (id, type, head) values ('m', 'report.received', '{}')");
      for (const [id, daysAgo] of [
        ["d1", 1],
        ["d2", 2],
        ["old", 8],
      ] as const) {
        const endedAt = Date.now() - daysAgo * 86_400_000;
        yield* tx.run(
          `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at, ended_at)
           values ($1, 'm', $2, 'dead', 10, 10, 0, 0, $3)`,
          [id, failing, endedAt],
        );
      }
    }),
  );
  const found = await doctor();
  expect([codesIn(found), found.code, found.ok]).toEqual([
    ["subscriber_disabled", "subscriber_failing", "deliveries_dead"],
    0,
    true,
  ]);
  const text = found.checks.map((finding) => finding.text).join("\n");
  expect(text).toContain(`1 subscriber disabled: ${disabled}; mend the receiver`);
  expect(text).toContain(`2 deliveries given up in the last 7 days, of 1 subscriber: ${failing}`);
  expect((await run(["doctor", "--data", data])).stdout).toContain("\nwarn  subscribers: disabled: ");
  await withStoreOf(data, (store) => store.write((tx) => tx.run("delete from subscriber")));
});

if (!onPostgres)
  test("backups that are too old, fail, or are on the disk of the data are told", async () => {
    const hours = (count: number) => Date.now() - count * 3_600_000;
    const to = `${data}-backups`;
    const findings = async () => (await doctor()).checks.filter(({ check }) => check.startsWith("backups"));
    expect((await findings())[0]?.text).toBe("the server makes none: intake settings set backup_to says where");
    expect((await run(["settings", "set", "backup_to", to, "--data", data])).code).toBe(0);
    expect(await findings()).toMatchObject([
      { text: "the first one is still to be made" },
      { code: "backup_same_disk" },
    ]);
    const tried = (startedAt: number, ended: Parameters<typeof endBackupTryStep>[2]) =>
      withStoreOf(data, (store) =>
        store.write(function* (tx) {
          const number = yield* beginBackupTryStep(tx, { origin: "schedule", target: to, startedAt });
          yield* endBackupTryStep(tx, number, ended);
        }),
      );
    await tried(hours(47), { endedAt: hours(47), backupId: "a", asOf: hours(47), bytes: 1, addedBytes: 1 });
    expect((await findings())[0]?.text).toBe("the newest is 47 hours old, none was verified yet");
    await withStoreOf(data, (store) =>
      store.write((tx) => backupVerifiedStep(tx, "a", { at: hours(47), failure: null })),
    );
    expect((await findings())[0]).toMatchObject({ code: "ok" });
    await tried(hours(1), { endedAt: hours(1), failure: `the folder ${to} is full (ENOSPC)` });
    expect((await findings())[0]).toMatchObject({ code: "backup_failed", severity: "warning" });
    await withStoreOf(data, (store) =>
      store.write((tx) => tx.run("update backup_try set as_of = $1 where backup_id = 'a'", [hours(49)])),
    );
    const [overdue] = await findings();
    expect([overdue?.code, overdue?.text]).toEqual([
      "backup_overdue",
      expect.stringContaining(`the newest verified backup is 2 days old: the folder ${to} is full (ENOSPC); mend`),
    ]);
    expect((await run(["settings", "set", "backup_to", "", "--data", data])).code).toBe(0);
  });

test("while a server runs, a request through its public address is looked at, in bounded time", async () => {
  const mute = createServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
  const { port } = mute.address() as { port: number };
  const server = await serve(data, ["--public-url", `https://127.0.0.1:${port}`]);
  const started = performance.now();
  const found = await doctor();
  expect(performance.now() - started).toBeLessThan(60_000);
  expect([codesIn(found), found.code]).toEqual([["public_url_unreachable", "public_url_unreachable"], 0]);
  expect(found.checks.find(({ check }) => check === "open files")?.text).toMatch(
    /^the server has \d+ of \d+ files open$/,
  );
  expect(await server.stop()).toBe(0);
  mute.close();

  const direct = await serve(data);
  expect((await run(["settings", "set", "public_url", direct.url, "--data", data])).code).toBe(0);
  const seen = await doctor();
  expect([codesIn(seen), seen.checks.find(({ check }) => check === "public address: proxy")?.text]).toEqual([
    [],
    "a request is seen from 127.0.0.1, without a proxy",
  ]);
  expect(await direct.stop()).toBe(0);
});

test("codes are lower case words, and each says what it means and what to do", () => {
  for (const [code, { about, remedy }] of Object.entries(findingCodes)) {
    expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect([about.length > 10, remedy.length > 5]).toEqual([true, true]);
  }
});
