import "../../support/on-postgres.ts";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { migrateDatabase } from "../../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../../server/store/postgres/migrations/index.ts";
import { type RunningBinary, runJson, serve } from "../../support/binary.ts";
import { databases } from "../../support/databases.ts";
import { ScratchPostgres } from "../../support/postgres.ts";
import { connected } from "../../support/postgres-schema.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { giveAway, unprivilegedFolder } from "../../support/unprivileged.ts";
import { until } from "../../support/until.ts";

// A server to start first costs a busy machine its time, and a connection that hangs is given up after seconds.
setDefaultTimeout(180_000);

let postgres: ScratchPostgres;
let proxy: TcpProxy;
let server: RunningBinary;
let token: string;
const folder = temporaryFolder();
/** A small disk that the rows of the database lie on. */
const disk = unprivilegedFolder("intake-full-disk-");

beforeAll(async () => {
  postgres = await ScratchPostgres.start({ fsync: "off" });
  const { exitCode, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk]);
  if (exitCode !== 0) throw new Error(`this test needs to mount a small disk: ${stderr}`);
  giveAway(disk);
  const database = await postgres.createDatabase();
  await connected(database.url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now }));
  await postgres.administer(`create tablespace small location '${disk}'`);
  await postgres.administer(`alter database ${database.name} set tablespace small`);
  proxy = await TcpProxy.to(postgres.port);
  const url = new URL(database.url);
  url.port = String(proxy.port);
  databases.set(folder, url.href);
  const env = { INTAKE_DATABASE_URL: url.href };
  const data = ["--data", folder];
  const made = await runJson<{ apiToken: { token: string } }>(
    ["init", "--org", "Example", "--admin-email", "a@example.org", ...data],
    { env },
  );
  token = made.apiToken.token;
  server = await serve(folder, ["--rate-limits", "off"]);
});
afterAll(async () => {
  await server.stop("SIGKILL");
  await proxy.close();
  await postgres.remove();
  Bun.spawnSync(["umount", "--lazy", disk]);
  for (const each of [disk, folder]) rmSync(each, { recursive: true, force: true });
});

const readyz = async () => {
  const answer = await fetch(`${server.url}/readyz`);
  return { code: answer.status, retryAfter: answer.headers.get("retry-after"), ...((await answer.json()) as object) };
};
const isReady = () => until(async () => ((await readyz()).code === 200 ? true : undefined), 60);

const create = (key: string, description = "") =>
  fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ title: "A card", description }),
  });

const countOf = async (column: "id" | "distinct description") => {
  const [database] = await postgres.administer<{ name: string }>(
    "select datname as name from pg_database where datname like 'test%'",
  );
  const [row] = await postgres.administer<{ n: string }>(`select count(${column}) as n from ticket`, database?.name);
  return Number(row?.n);
};

test("connections that hang are given up, and every request on them is answered by others, once", async () => {
  await Promise.all(Array.from({ length: 40 }, (_, i) => create(`warm ${i}`, `warm ${i}`)));
  const before = proxy.connections;
  expect(before).toBeGreaterThan(4);
  proxy.stallSome(Math.floor(before / 2));
  const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => create(`hung ${i}`, `hung ${i}`)));
  // A write of which nobody knows whether it was stored may be answered with 503, and is safe to send again.
  for (const [i, answer] of answers.entries()) {
    const again = answer.status === 503 ? await create(`hung ${i}`, `hung ${i}`) : answer;
    expect(again.status).toBe(201);
  }
  expect([await countOf("id"), await countOf("distinct description")]).toEqual([80, 80]);
  await isReady();
});

test("a network that swallows everything makes the process unready and requests 503, until it works again", async () => {
  proxy.stall();
  // No request is needed to notice it.
  const red = await until(async () => {
    const answer = await readyz();
    return answer.code === 503 ? answer : undefined;
  });
  expect(red).toMatchObject({ code: 503, retryAfter: "1", reason: expect.stringMatching(/^the database /) });
  const refused = await create("swallowed", "swallowed");
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  proxy.resume();
  await isReady();
  // Of a request that comes in the same moment a connection may still be missing.
  await until(async () => ((await create("swallowed", "swallowed")).status === 201 ? true : undefined));
  expect([await countOf("id"), await countOf("distinct description")]).toEqual([81, 81]);
});

test("while the database's disk is full the process is not ready, and goes on by itself once there is room", async () => {
  const ballast = `${disk}/ballast`;
  const free = Number(Bun.spawnSync(["stat", "-f", "-c", "%a", disk]).stdout.toString()) * 4_096;
  writeFileSync(ballast, new Uint8Array(Math.max(0, free - 2 ** 20)));
  const random = () => crypto.getRandomValues(Buffer.alloc(9_000)).toString("base64");
  const acknowledged: { key: string; description: string; text: string }[] = [];
  const refused = await until(async () => {
    const [key, description] = [`full ${acknowledged.length}`, random()];
    const answer = await create(key, description);
    if (answer.status !== 201) return answer;
    acknowledged.push({ key, description, text: await answer.text() });
    return undefined;
  });
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([503, true]);
  for (let i = 0; i < 20; i++) {
    expect(await readyz()).toMatchObject({ code: 503, reason: "the database's disk is full" });
    await Bun.sleep(100);
  }
  rmSync(ballast);
  await isReady();
  expect((await create("room", random())).status).toBe(201);
  for (const { key, description, text } of acknowledged)
    expect(await (await create(key, description)).text()).toBe(text);
  expect(server.stderr()).toContain("the database's disk is full");
});
