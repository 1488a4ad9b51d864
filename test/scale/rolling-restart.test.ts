import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type RunningBinary, runJson, serve } from "../support/binary.ts";
import { startLoadBalancer } from "../support/load-balancer.ts";
import type { ScratchDatabase } from "../support/postgres.ts";
import { databaseWithSchema } from "../support/postgres-schema.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

const folder = temporaryFolder();
let database: ScratchDatabase;
let env: Record<string, string>;
let servers: RunningBinary[];

const intake = <T>(...words: string[]) => runJson<T>([...words, "--data", join(folder, "command")], { env });
/** Long enough for a busy load balancer to notice. */
const start = (i: number, port = "0") => serve(join(folder, `${i}`), ["--drain", "3", "--port", port], { env });

beforeAll(async () => {
  database = await databaseWithSchema();
  env = { INTAKE_DATABASE_URL: database.url, INTAKE_SECRET_KEY_FILE: join(folder, "secret.key") };
  await intake("init", "--org", "Example", "--admin-email", "admin@example.org");
  servers = await Promise.all([start(0), start(1)]);
}, 180_000);

afterAll(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await database.drop();
  rmSync(folder, { recursive: true });
});

test("each process is restarted in turn under load, and no request is lost, refused or done twice", async () => {
  const { token } = await intake<{ token: string }>(
    ...["token", "create", "--name", "CI", "--all-projects", "--scope", "tickets:write", "--limit", "1000000"],
  );
  const balancer = await startLoadBalancer(servers.map(({ url }) => url));
  const ids: string[] = [];
  const others: string[] = [];
  let stopped = false;
  // Without a key, so that nothing but one answer for each request makes the numbers equal.
  const client = async () => {
    while (!stopped) {
      const answer = await fetch(`${balancer.url}/api/v1/tickets`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ title: "A ticket" }),
      });
      const text = await answer.text();
      if (answer.status === 201) ids.push((JSON.parse(text) as { id: string }).id);
      else others.push(`${answer.status} ${text}`);
      await Bun.sleep(10);
    }
  };
  const clients = Array.from({ length: 4 }, client);
  for (const i of [0, 1]) {
    const before = ids.length;
    await until(() => (ids.length > before + 20 ? true : undefined));
    const server = servers[i] as RunningBinary;
    const ended = server.stop();
    await until(async () => ((await fetch(`${server.url}/readyz`)).status === 503 ? true : undefined));
    expect(await ended).toBe(0);
    servers[i] = await start(i, new URL(server.url).port);
    await until(async () => ((await fetch(`${server.url}/readyz`)).ok ? true : undefined));
  }
  const before = ids.length;
  await until(() => (ids.length > before + 20 ? true : undefined));
  stopped = true;
  await Promise.all(clients);
  await balancer.stop();
  expect(others).toEqual([]);
  const { counts } = await stored();
  expect(new Set(ids).size).toBe(ids.length);
  expect(counts).toBe(ids.length);
}, 180_000);

async function stored() {
  const sql = new Bun.SQL(database.url, { max: 1 });
  const [row] = (await sql`select cast(count(*) as integer) as n from ticket`) as { n: number }[];
  await sql.close();
  return { counts: row?.n };
}
