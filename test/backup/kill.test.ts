import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CreatedBackup } from "../../server/backup/create-backup.ts";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { fillInstallation } from "../scale/fill-installation.ts";
import { binaryPath, run, runJson, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { createSurvivor, newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";
import { contentsOf, restore, verify } from "./backups.ts";

/** Rounds of each test; `KILL_ROUNDS` runs more. */
const rounds = Number(process.env["KILL_ROUNDS"] ?? 3);
setDefaultTimeout(Math.max(600_000, rounds * 30_000));

let scratch: string;
let installation: Installation;
let token: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "intake-backup-kill-"));
});
beforeEach(async () => {
  installation = await install();
  ({ token } = await newToken(installation));
  await fillInstallation(installation);
});
afterEach(() => {
  rmSync(installation.folder, { recursive: true, force: true });
});
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

/** Answers of each round that are asked for again over HTTP; for all others the key is looked for. */
const replayed = 500;

function keysIn(data: string): Set<string> {
  const db = new Database(databasePath(data), { readonly: true });
  const rows = db.query<{ key: string }, []>("select key from idempotency_key").all();
  db.close();
  return new Set(rows.map(({ key }) => key));
}

/** Starts a command and kills it after so many milliseconds; returns whether it had ended before. */
async function killed(args: string[], milliseconds: number): Promise<boolean> {
  const child = Bun.spawn([binaryPath, ...args], { stdio: ["ignore", "ignore", "ignore"], env: {} });
  await Promise.race([child.exited, Bun.sleep(milliseconds)]);
  child.kill("SIGKILL");
  return (await child.exited) === 0;
}

/** Of each client. What is to be copied stays small, however long the rounds take on a machine that is busy. */
const millisecondsBetweenTickets = 20;

/** Creates tickets until it is stopped; remembers when each was answered. */
async function createTickets(url: () => string, answered: Map<string, number>, going: () => boolean): Promise<void> {
  while (going()) {
    const key = crypto.randomUUID();
    const response = await createSurvivor(url(), token, key).catch(() => undefined);
    if (response?.status === 201) answered.set(key, Date.now());
    await response?.arrayBuffer().catch(() => {});
    await Bun.sleep(millisecondsBetweenTickets);
  }
}

test(`a backup of a server under load, in every second of ${rounds} rounds killed again and again meanwhile, holds every answer given before its time`, async () => {
  const target = join(scratch, "load");
  const answered = new Map<string, number>();
  let server = await serve(installation.folder);
  let going = true;
  let kills = 0;
  const clients = Array.from({ length: 8 }, () =>
    createTickets(
      () => server.url,
      answered,
      () => going,
    ),
  );
  for (let round = 0; round < rounds; round++) {
    const enough = answered.size + 50;
    await until(() => answered.size > enough || undefined);
    const creating = runJson<CreatedBackup>(["backup", "create", "--data", installation.folder, "--to", target]);
    let made = false;
    void creating.finally(() => {
      made = true;
    });
    while (round % 2 === 1 && !made) {
      await server.stop("SIGKILL");
      kills++;
      server = await serve(installation.folder);
    }
    const { id, asOf } = await creating;
    const data = join(scratch, `load-${round}`);
    await verify(new FolderTarget(target), scratch, id);
    await restore(new FolderTarget(target), data, { id });
    const before = [...answered].filter(([, at]) => at < Date.parse(asOf)).map(([key]) => key);
    expect(before.length).toBeGreaterThan(round * 50);
    const keys = keysIn(data);
    expect(before.filter((key) => !keys.has(key))).toEqual([]);
    const restored = await serve(data);
    const newest = before.slice(-replayed);
    for (let i = 0; i < newest.length; i += 16) {
      const replays = await Promise.all(newest.slice(i, i + 16).map((key) => createSurvivor(restored.url, token, key)));
      for (const replay of replays) {
        expect(replay.headers.get("idempotent-replayed")).toBe("true");
        await replay.arrayBuffer();
      }
    }
    await restored.stop("SIGKILL");
    rmSync(data, { recursive: true });
  }
  going = false;
  await Promise.all(clients);
  await server.stop();
  expect(kills).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
});

test(`after ${rounds} kills of a backup and of a restore, nothing looks whole that is not, and both go on`, async () => {
  const took = async (args: string[]) => {
    const begun = performance.now();
    expect((await run(args)).stderr).toBe("");
    return performance.now() - begun;
  };
  const create = (to: string) => ["backup", "create", "--data", installation.folder, "--to", to];
  const wholeCreate = await took(create(join(scratch, "whole")));
  const wholeRestore = await took(["restore", join(scratch, "whole"), "--data", join(scratch, "whole-data")]);
  const expected = contentsOf(installation.folder);
  for (let round = 0; round < rounds; round++) {
    const [to, data] = [join(scratch, `to-${round}`), join(scratch, `data-${round}`)];
    const target = new FolderTarget(to);
    const ended = await killed(create(to), Math.random() * wholeCreate);
    const ids = await target.ids();
    if (ended) expect(ids).toHaveLength(1);
    for (const id of ids) await verify(target, scratch, id);
    await took(create(to));
    expect(await target.ids()).toHaveLength(ids.length + 1);
    const args = ["restore", to, "--data", data];
    for (let kills = 0; kills < 2; kills++) {
      if (await killed(args, Math.random() * wholeRestore)) break;
      const { code, stderr } = await run(["doctor", "--data", data]);
      if (code !== 0) expect(stderr).toMatch(/is being restored from the backup|there is no Intake database/);
      else expect(contentsOf(data)).toEqual(expected);
    }
    const again = await run(args);
    if (again.code !== 0) expect(again.stderr).toContain("is not empty");
    expect(contentsOf(data)).toEqual(expected);
    for (const path of [to, data]) rmSync(path, { recursive: true });
  }
});
