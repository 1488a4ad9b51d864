import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { serve } from "../support/binary.ts";
import { onPostgres } from "../support/databases.ts";
import { type Installation, install } from "../support/installation.ts";
import { newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

function create(url: string, token: string, key: string) {
  return fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": key },
    body: '{"title":"Under way"}',
  });
}

test("SIGTERM under load: every request is answered or never taken, exit 0, the lock is free", async () => {
  const { token } = await newToken(installation);
  const server = await serve(installation.folder);
  const statuses: number[] = [];
  const acknowledged = new Map<string, string>();
  const clients = Array.from({ length: 16 }, async () => {
    for (;;) {
      const key = crypto.randomUUID();
      try {
        const response = await create(server.url, token, key);
        statuses.push(response.status);
        if (response.status === 201) acknowledged.set(key, await response.text());
      } catch {
        return;
      }
    }
  });
  await until(() => (acknowledged.size > 200 ? true : undefined));
  expect(await server.stop("SIGTERM")).toBe(0);
  await Promise.all(clients);
  expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);
  expect(existsSync(`${installation.folder}/lock.json`)).toBe(false);

  const again = await serve(installation.folder);
  for (const [key, text] of acknowledged) expect(await (await create(again.url, token, key)).text()).toBe(text);
  expect(await again.stop("SIGINT")).toBe(0);
}, 180_000);

/** A request whose body never ends. */
function stalled(url: string, token: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `POST /api/v1/tickets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
    ),
  );
  socket.on("error", () => {});
  return socket;
}

test("a second signal ends at once, whatever hangs", async () => {
  const { token } = await newToken(installation);
  const server = await serve(installation.folder);
  const socket = stalled(server.url, token);
  await until(async () => ((await create(server.url, token, crypto.randomUUID())).status === 201 ? true : undefined));
  server.process.kill("SIGTERM");
  await until(() => (server.stderr().includes("stopping") ? true : undefined));
  expect(await server.stop("SIGTERM")).toBe(1);
  socket.destroy();
}, 180_000);

if (!onPostgres)
  test("while another process holds the lock of the database, a stop waits for it once", async () => {
    const { token } = await newToken(installation);
    const server = await serve(installation.folder);
    expect((await create(server.url, token, crypto.randomUUID())).status).toBe(201);
    const other = new Database(`${installation.folder}/intake.db`);
    other.run("begin immediate");
    const started = performance.now();
    expect(await server.stop("SIGTERM")).toBe(0);
    // It was 2 s for each kind of what is in memory.
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(server.stderr()).toContain("the database is locked by another process");
    other.run("rollback");
    other.close();
  }, 180_000);

if (!onPostgres)
  test("while another process holds the lock of the database for seconds, a start waits for it", async () => {
    const { token } = await newToken(installation);
    const seconds = 5;
    const holder = Bun.spawn(
      [
        process.execPath,
        "-e",
        `const db = new (require("bun:sqlite").Database)(process.argv[1]); db.run("begin immediate");
         console.log("held"); setTimeout(() => db.run("rollback"), ${seconds * 1_000});`,
        `${installation.folder}/intake.db`,
      ],
      { stdout: "pipe", stderr: "inherit" },
    );
    for await (const _ of holder.stdout) break;
    const server = await serve(installation.folder);
    expect((await create(server.url, token, crypto.randomUUID())).status).toBe(201);
    expect(await holder.exited).toBe(0);
    expect(await server.stop("SIGTERM")).toBe(0);
  }, 180_000);

test("a body that never ends is answered with 408 after 30 s", async () => {
  const { token } = await newToken(installation);
  const server = await serve(installation.folder);
  const socket = stalled(server.url, token);
  let received = "";
  const started = performance.now();
  // Sends a byte every second: the connection is alive, but the body is too slow.
  const drip = setInterval(() => socket.write(" "), 1_000);
  socket.on("data", (chunk) => {
    received += chunk.toString();
  });
  await until(() => (received.includes("request_timeout") ? true : undefined), 120);
  clearInterval(drip);
  expect(received).toStartWith("HTTP/1.1 408");
  expect(performance.now() - started).toBeGreaterThan(29_000);
  socket.destroy();
  await server.stop();
}, 180_000);
