import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startPgBouncer } from "../../support/pgbouncer.ts";
import { PostgresServer, ScratchPostgres, sharedPostgres } from "../../support/postgres.ts";
import { isAlive } from "../../support/unprivileged.ts";
import { until } from "../../support/until.ts";

test("what was committed is there after all processes were killed, and the port is the same", async () => {
  const postgres = await ScratchPostgres.start();
  const { url } = await postgres.createDatabase();
  await once(url, "create table kept (id integer)");
  await once(url, "insert into kept values (1)");
  await postgres.crash();
  await expect(once(url, "select 1")).rejects.toThrow();
  await postgres.restart();
  expect(await once(url, "select * from kept")).toEqual([{ id: 1 }]);
  await postgres.remove();
  expect(existsSync(postgres.folder)).toBeFalse();
});

test("a killed backend ends the other connections, and the server recovers", async () => {
  const postgres = await ScratchPostgres.start();
  const { url } = await postgres.createDatabase();
  const sql = new SQL(url, { max: 1 });
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  postgres.crashBackend(row?.pid ?? 0);
  await until(() => (postgres.log.includes("terminated by signal 9") ? true : undefined));
  expect(await until(() => once(url, "select 1 as one").catch(() => undefined))).toEqual([{ one: 1 }]);
  await sql.close();
  await postgres.remove();
});

test("a paused server answers once it goes on", async () => {
  const postgres = await ScratchPostgres.start();
  const sql = new SQL(postgres.url("postgres"), { max: 1 });
  await sql`select 1`;
  postgres.pause();
  let answered = false;
  const asked = sql`select 2 as two`.then((rows) => {
    answered = true;
    return [...rows];
  });
  await until(() => (readFileSync(`/proc/${postgres.pid}/stat`, "utf8").includes(") T ") ? true : undefined));
  expect(answered).toBeFalse();
  postgres.resume();
  expect(await asked).toEqual([{ two: 2 }]);
  await sql.close();
  await postgres.remove();
});

test("settings change while it runs, or with a restart where they need one", async () => {
  const postgres = await ScratchPostgres.start({ max_connections: 20 });
  await postgres.set({ deadlock_timeout: "2s" });
  expect(await postgres.administer("show deadlock_timeout")).toEqual([{ deadlock_timeout: "2s" }]);
  await postgres.set({ max_connections: 30 });
  expect(await postgres.administer("show max_connections")).toEqual([{ max_connections: "30" }]);
  await postgres.remove();
});

test("a template is prepared once, and each copy of it is a database of its own", async () => {
  const postgres = await sharedPostgres();
  const name = `template_${crypto.randomUUID().replaceAll("-", "")}`;
  let prepared = 0;
  const prepare = async (url: string) => {
    prepared++;
    await once(url, "create table made (id integer)");
  };
  await Promise.all([postgres.template(name, prepare), postgres.template(name, prepare)]);
  expect(prepared).toBe(1);
  const one = await postgres.createDatabase({ template: name });
  const other = await postgres.createDatabase({ template: name });
  await once(one.url, "insert into made values (1)");
  expect(await once(other.url, "select * from made")).toEqual([]);
  await Promise.all([one.drop(), other.drop()]);
});

test("a process that is killed leaves neither a server nor a folder", async () => {
  const script = `
    const { ScratchPostgres } = await import(${JSON.stringify(join(import.meta.dir, "../../support/postgres.ts"))});
    const postgres = await ScratchPostgres.start();
    console.log(JSON.stringify({ folder: postgres.folder, pid: postgres.pid }));
    await new Promise((resolve) => setTimeout(resolve, 60_000));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const { folder, pid } = JSON.parse(new TextDecoder().decode(value)) as { folder: string; pid: number };
  expect(existsSync(join(folder, "data/PG_VERSION"))).toBeTrue();
  child.kill("SIGKILL");
  await until(() => (existsSync(folder) || isAlive(pid) ? undefined : true));
});

test("behind pgbouncer transactions of many connections share few backends", async () => {
  const postgres = await sharedPostgres();
  const { name, drop } = await postgres.createDatabase();
  const bouncer = await startPgBouncer(postgres, { default_pool_size: 2 });
  const connections = Array.from({ length: 6 }, () => new SQL(bouncer.url(name), { max: 1, prepare: false }));
  const backends = await Promise.all(
    connections.map((sql) => sql.unsafe("select pg_backend_pid() as pid") as Promise<{ pid: number }[]>),
  );
  expect(new Set(backends.map(([row]) => row?.pid)).size).toBeLessThanOrEqual(2);
  await Promise.all(connections.map((sql) => sql.close()));
  await bouncer.stop();
  await drop();
});

test("processes that are given the folder use the same server", async () => {
  const postgres = (await sharedPostgres()) as PostgresServer;
  const again = new PostgresServer(postgres.folder);
  expect(again.url("postgres")).toBe(postgres.url("postgres"));
});

async function once(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = new SQL(url, { max: 1 });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.close();
  }
}
