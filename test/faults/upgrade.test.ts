import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { databasePath, migrationStatus } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { binaryPath, finished, requireBinary, run, serve } from "../support/binary.ts";
import { olderDataFolder } from "../support/older-data-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) {
    Bun.spawnSync(["umount", "--lazy", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
});

const newest = migrations.at(-1)?.number ?? 0;
const megabyte = 1_000_000;

function mount(folder: string, options: string) {
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
}

/** A folder as an older binary has left it: with its schema, and with tickets and reports of this many bytes. */
function older(folder: string, schema: number, bytes: number): string {
  const data = `${folder}/data`;
  const db = olderDataFolder(data, schema);
  db.run("insert into project_usage (project_id, events, bytes, day, day_bytes) values ('p', 0, 0, '', 0)");
  const ticket = db.prepare(
    `insert into ticket (id, column_id, position, title, description, priority, author_name, created_at)
     values (?, 'c', ?, ?, ?, 'none', 'CI', 0)`,
  );
  const event = db.prepare(
    `insert into event (id, project_id, key_id, digest, level, title, received_at, envelope_bytes, stored_bytes,
       delivery_count, repeat_count) values (?, 'p', 'k', '', 'error', ?, ?, 1, 1, 0, 0)`,
  );
  const size = () => db.query<{ page_count: number }, []>("pragma page_count").all()[0]?.page_count ?? 0;
  for (let i = 0; size() * 4_096 < bytes; ) {
    db.run("begin");
    for (const end = i + 500; i < end; i++) {
      ticket.run(Bun.randomUUIDv7(), i, `Ticket ${i}`, "d".repeat(200));
      event.run(Bun.randomUUIDv7(), `Report ${i}`, 1_700_000_000_000 + i * 60_000);
    }
    db.run("commit");
  }
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
  return data;
}

function tickets(data: string): number {
  const db = new Database(databasePath(data), { readonly: true });
  const [row] = db.query<{ count: number }, []>("select count(*) as count from ticket").all();
  db.close();
  return row?.count ?? 0;
}

const free = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

test("a database of 12 MB with 69 MB free is upgraded in one start", async () => {
  const folder = temporaryFolder();
  folders.push(folder);
  mount(folder, "size=200m");
  const data = older(folder, 4, 12 * megabyte);
  const size = statSync(databasePath(data)).size;
  expect(size).toBeGreaterThan(12 * megabyte);
  expect(size).toBeLessThan(13 * megabyte);
  const before = tickets(data);
  mount(folder, `remount,size=${Math.floor((200 * 2 ** 20 - free(folder) + 69 * megabyte) / 4_096) * 4}k`);
  expect(free(folder)).toBeLessThan(69 * megabyte + 8_192);

  const server = await serve(data);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const lines = server
    .stderr()
    .split("\n")
    .filter((line) => line.includes("schema") || line.includes("copy"))
    .map((line) => (JSON.parse(line) as { message: string }).message);
  expect(lines[0]).toMatch(
    new RegExp(`^copying the database \\(1[23] MB\\) before the upgrade from schema 4 to ${newest}$`),
  );
  expect(lines.filter((line) => line.startsWith("schema "))).toHaveLength(
    migrations.filter(({ number }) => number > 4).length,
  );
  expect(await server.stop()).toBe(0);
  expect(tickets(data)).toBe(before);
  expect(readdirSync(`${data}/backups`)).toHaveLength(1);
}, 180_000);

test("without room for all of it nothing is begun; it says how to go on and back, and goes on once there is room", async () => {
  const folder = temporaryFolder();
  folders.push(folder);
  mount(folder, "size=200m");
  const data = older(folder, 5, 12 * megabyte);
  mount(folder, `remount,size=${Math.floor((200 * 2 ** 20 - free(folder) + 30 * megabyte) / 4_096) * 4}k`);
  for (const args of [
    ["serve", "--port", "0", "--metrics", "off"],
    ["migrate", "up"],
  ]) {
    const refused = await run([...args, "--data", data]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      new RegExp(
        `no room for the upgrade from schema 5 to ${newest}; nothing was changed. Forward: free \\d+ MB more .*Back: an intake of schema 5`,
      ),
    );
  }
  const status = await run(["migrate", "status", "--data", data]);
  expect(status.stdout).toMatch(/Forward: free \d+ MB more/);
  const doctor = await run(["doctor", "--data", data]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(
    /FAIL {2}schema: schema 5 of \d+\. Forward: free \d+ MB more .*Back: an intake of schema 5/,
  );
  expect(migrationStatus(data, migrations).current).toBe(5);

  mount(folder, "remount,size=200m");
  const server = await serve(data);
  expect(await server.stop()).toBe(0);
  expect(migrationStatus(data, migrations).pending).toEqual([]);
}, 180_000);

test("a kill at any moment leaves the old schema or the newest, and the next start goes on", async () => {
  requireBinary();
  const folder = temporaryFolder();
  folders.push(folder);
  const original = older(folder, 4, 6 * megabyte);
  const before = tickets(original);
  for (const word of ["copying", "verified", "schema 4 →", "schema 6 →", "schema 8 →", `→ ${newest}`]) {
    const data = `${folder}/killed`;
    rmSync(data, { recursive: true, force: true });
    Bun.spawnSync(["cp", "-a", original, data]);
    const child = Bun.spawn([binaryPath, "migrate", "up", "--data", data], { stdout: "ignore", stderr: "pipe" });
    let told = "";
    for await (const chunk of child.stderr) {
      told += new TextDecoder().decode(chunk);
      // Progress is printed while the upgrade runs.
      if (told.includes(word)) child.kill("SIGKILL");
    }
    await child.exited;
    expect(told).toContain(word);
    expect([4, newest]).toContain(migrationStatus(data, migrations).current);
    const again = Bun.spawn([binaryPath, "migrate", "up", "--data", data], { stdout: "pipe", stderr: "pipe" });
    expect(await finished(again)).toMatchObject({ code: 0 });
    expect(migrationStatus(data, migrations).pending).toEqual([]);
    expect(tickets(data)).toBe(before);
    expect(readdirSync(`${data}/backups`).filter((name) => !name.endsWith(".db"))).toEqual([]);
  }
}, 180_000);
