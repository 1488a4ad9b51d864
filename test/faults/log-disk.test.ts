import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listMoments } from "../../server/backup/find-moment.ts";
import { FolderTarget } from "../../server/backup/folder-target.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(600_000);

const mounts: string[] = [];
const folders: string[] = [];
afterAll(() => {
  for (const path of mounts.toReversed()) Bun.spawnSync(["umount", "--lazy", path]);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function mount(...args: string[]) {
  const { exitCode, stderr } = Bun.spawnSync(["mount", ...args]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  mounts.push(args.at(-1) as string);
}

interface Listed {
  moments: { from: string; to: string }[];
  gaps: { from: string; to: string }[];
}

/**
 * Between two looks at what a server has kept or shipped, which takes it some 10 s: it does the same work on a machine
 * that is busy, where all of it takes longer.
 */
const millisecondsBetweenLooks = 200;

/** A server whose spool of the log has a disk of its own, which fails while that of the database works. */
class SpoolDisk {
  readonly data: string;
  readonly spool: string;
  readonly target: string;
  readonly #token: string;
  readonly #server: RunningBinary;
  /** When the ticket with this title was answered. */
  readonly answered = new Map<string, number>();

  private constructor(folder: string, token: string, server: RunningBinary) {
    this.data = `${folder}/data`;
    this.spool = `${this.data}/wal-spool`;
    this.target = `${folder}/backups`;
    this.#token = token;
    this.#server = server;
  }

  static async start(): Promise<SpoolDisk> {
    const folder = temporaryFolder();
    folders.push(folder);
    const data = `${folder}/data`;
    const { apiToken } = await runJson<{ apiToken: { token: string } }>([
      ...["init", "--data", data, "--org", "Example", "--admin-email", "a@example.org"],
    ]);
    mkdirSync(`${data}/wal-spool`, { mode: 0o700 });
    mkdirSync(`${folder}/disk`);
    mount("-t", "tmpfs", "-o", "size=64m", "tmpfs", `${folder}/disk`);
    mkdirSync(`${folder}/disk/spool`, { mode: 0o700 });
    mount("--bind", `${folder}/disk/spool`, `${data}/wal-spool`);
    for (const [name, value] of [
      ["backup_to", `${folder}/backups`],
      ["backup_log", "on"],
    ] as const) {
      expect((await run(["settings", "set", name, value, "--data", data])).stderr).toBe("");
    }
    const server = await serve(data, ["--rate-limits", "off", "--metrics", "127.0.0.1:0"]);
    const disk = new SpoolDisk(folder, apiToken.token, server);
    await until(() => disk.newest(), 150);
    return disk;
  }

  /** Stores a ticket, which has to be answered whatever becomes of the spool. */
  async ticket(bytes = 20_000): Promise<void> {
    const title = crypto.randomUUID();
    const response = await fetch(`${this.#server.url}/api/v1/tickets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.#token}`,
        "content-type": "application/json",
        "idempotency-key": title,
      },
      body: JSON.stringify({ title, description: "d".repeat(bytes) }),
    });
    expect({ status: response.status, text: await response.text() }).toMatchObject({ status: 201 });
    this.answered.set(title, Date.now());
  }

  async metric(name: string): Promise<number | undefined> {
    const url = await until(() => /"metrics":"([^"]+)"/.exec(this.#server.stderr())?.[1]);
    const text = await (await fetch(url)).text();
    const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  }

  /** Stores tickets until the log is kept again, or no longer. */
  async ticketsUntilKept(kept: 0 | 1): Promise<void> {
    await until(async () => {
      for (let i = 0; i < 5; i++) await this.ticket();
      await Bun.sleep(millisecondsBetweenLooks);
      return (await this.metric("intake_backup_log_kept")) === kept || undefined;
    }, 150);
    expect((await fetch(`${this.#server.url}/readyz`)).status).toBe(200);
  }

  /** The end of the newest moments that can be restored, in epoch milliseconds. */
  async newest(): Promise<number | undefined> {
    const [newest] = (await listMoments(new FolderTarget(this.target))).moments;
    return newest && Date.parse(newest.to);
  }

  listed(): Promise<Listed> {
    return runJson<Listed>(["backup", "list", this.target]);
  }

  /** Waits until a moment that is still to come can be restored. */
  async reaches(time: number): Promise<void> {
    await until(async () => {
      await this.ticket(10);
      await Bun.sleep(millisecondsBetweenLooks);
      return ((await this.newest()) ?? 0) > time || undefined;
    }, 150);
  }

  /** What doctor says of the log and of its moments, each with its code. */
  async doctor(): Promise<string[]> {
    const { stdout } = await run(["doctor", "--json", "--data", this.data]);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; code: string; text: string }[] };
    return checks
      .filter(({ check }) => /^backups: (log|moments)$/.test(check))
      .map(({ code, text }) => `${code}: ${text}`);
  }

  async stop(): Promise<void> {
    expect(await this.#server.stop()).toBe(0);
  }

  /** Restores the newest moment, and requires every ticket that was answered before, and soundness. */
  async requireRestored(): Promise<void> {
    const [newest] = (await this.listed()).moments;
    const to = join(this.data, "..", "restored");
    const { code, stderr } = await run(["restore", this.target, "--data", to, "--at", newest?.to as string]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const db = new Database(databasePath(to), { readonly: true });
    const titles = db.query<{ title: string }, []>("select title from ticket").all();
    expect(db.query("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    db.close();
    const stored = new Set(titles.map(({ title }) => title));
    const lost = [...this.answered].filter(([title, at]) => {
      return at < Date.parse(newest?.to as string) && !stored.has(title);
    });
    expect(lost).toEqual([]);
    expect((await run(["backup", "verify", this.target, "--data", this.data])).stdout).toContain("is sound");
  }
}

test("while the disk of the spool is full tickets go on, the gap is told everywhere, and the log begins again", async () => {
  const disk = await SpoolDisk.start();
  // Of a log without a segment nothing would be left to go back to.
  await disk.reaches(Date.now());
  const fill = `${disk.data}/../disk/fill`;
  const { bavail, bsize } = statfsSync(disk.spool);
  writeFileSync(fill, new Uint8Array(bavail * bsize));
  const full = Date.now();
  await disk.ticketsUntilKept(0);
  expect((await disk.doctor())[0]).toStartWith("backup_log_stopped: no log is kept; make room");
  for (let i = 0; i < 50; i++) await disk.ticket();
  expect(await disk.metric("intake_backup_log_behind_seconds")).toBeGreaterThan(0);

  truncateSync(fill, 0);
  await disk.ticketsUntilKept(1);
  const again = Date.now();
  await disk.reaches(again);
  expect(await disk.metric("intake_backup_log_gaps_total")).toBe(1);
  const { gaps } = await disk.listed();
  expect(gaps).toHaveLength(1);
  expect(Date.parse(gaps[0]?.to as string)).toBeGreaterThan(full);
  const text = await run(["backup", "list", disk.target]);
  expect(text.stderr).toContain(`no moment between ${gaps[0]?.from} and ${gaps[0]?.to} can be restored`);
  expect((await disk.doctor())[1]).toStartWith(`backup_log_gap: nothing between ${gaps[0]?.from} and`);
  const lost = await run(["restore", disk.target, "--data", `${disk.data}-lost`, "--at", gaps[0]?.from as string]);
  expect(lost.code).toBe(0);
  await disk.stop();
  await disk.requireRestored();
});

test("while the spool can only be read tickets go on, what is complete is shipped, and nothing is lost after", async () => {
  const disk = await SpoolDisk.start();
  await disk.ticket();
  // The file that is open for writing belongs to the mount below, as when a disk turns read-only under a program.
  mount("--bind", disk.spool, disk.spool);
  mount("-o", "remount,bind,ro", disk.spool);
  const since = Date.now();
  await disk.ticketsUntilKept(0);
  // The segment that was being written has ended, and cannot be compressed beside it.
  await until(async () => {
    await Bun.sleep(millisecondsBetweenLooks);
    return ((await disk.newest()) ?? 0) > since || undefined;
  }, 150);
  for (let i = 0; i < 50; i++) await disk.ticket();

  expect(Bun.spawnSync(["umount", "--lazy", disk.spool]).exitCode).toBe(0);
  await disk.ticketsUntilKept(1);
  await disk.reaches(Date.now());
  await disk.stop();
  await disk.requireRestored();
});
