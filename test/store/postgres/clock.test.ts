import "../../support/on-postgres.ts";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { Row } from "../../../server/core/store.ts";
import { type RunningBinary, runJson, serve } from "../../support/binary.ts";
import { type Installation, install } from "../../support/installation.ts";
import { until } from "../../support/until.ts";

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
beforeAll(async () => {
  installation = await install();
  const { folder } = installation;
  const preload = `${folder}/clock.js`;
  writeFileSync(
    preload,
    `import { readFileSync } from "node:fs";
     const real = Date.now;
     Date.now = () => real() + Number(readFileSync("${folder}/ahead", "utf8"));`,
  );
  setAhead(-40);
  server = await serve(folder, [], { env: { BUN_OPTIONS: `--preload=${preload}` } });
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
});

/** Sets the clock of the server's machine so many seconds ahead of the database's. */
function setAhead(seconds: number) {
  writeFileSync(`${installation.folder}/ahead`, String(seconds * 1_000));
}

const ready = () => fetch(`${server.url}/readyz`);

/** Milliseconds between the time of a new ticket and the database's. */
async function ageOfTicket(): Promise<number> {
  const made = await fetch(`${server.url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${installation.made.apiToken.token}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "A card" }),
  });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const sql = {
    sqlite: "select 0 as age",
    postgres: "select extract(epoch from clock_timestamp()) * 1000 - created_at as age from ticket where id = $1",
  };
  return (await installation.ctx.store.one<Row & { age: number }>(sql, [id]))?.age ?? Number.NaN;
}

test("what a process stores has the database's time, though its machine's clock is some seconds off", async () => {
  expect((await ready()).status).toBe(200);
  expect(await ageOfTicket()).toBeWithin(-1_000, 20_000);
});

test("while the machine's clock is more than a minute off the process is not ready, says why, and recovers", async () => {
  setAhead(3_600);
  const red = await ready();
  expect([red.status, red.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await red.json()).toMatchObject({
    status: "not ready",
    reason: expect.stringMatching(/^this machine's clock is 3\d\d\d s ahead of the database's/),
  });
  // Requests that come all the same find the right time.
  expect(await ageOfTicket()).toBeWithin(-1_000, 20_000);
  await until(() => server.stderr().includes("s ahead of the database's") || undefined);
  setAhead(1);
  expect((await ready()).status).toBe(200);
  await until(() => server.stderr().includes("agrees with the database's again") || undefined);
});

test("what a command stores has the database's time too", async () => {
  const { folder, ctx } = installation;
  setAhead(3_600);
  const made = ["project", "create", "--name", "Of a command", "--data", folder];
  const { id } = await runJson<{ id: string }>(made, { env: { BUN_OPTIONS: `--preload=${folder}/clock.js` } });
  const sql = {
    sqlite: "select 0 as age",
    postgres: "select extract(epoch from clock_timestamp()) * 1000 - created_at as age from project where id = $1",
  };
  expect((await ctx.store.one<{ age: number }>(sql, [id]))?.age).toBeWithin(-1_000, 20_000);
});
