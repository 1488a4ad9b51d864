import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningBinary, serve } from "../support/binary.ts";
import { killRounds, onPostgres } from "../support/databases.ts";
import { faultsFound } from "../support/doctor.ts";
import { type Installation, install } from "../support/installation.ts";
import { createSurvivor, createUntilGone, newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";

const rounds = killRounds(20);
const clients = 16;

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

test(`${rounds} rounds of kill -9 under load lose nothing and double nothing`, async () => {
  const { token } = await newToken(installation);
  const all = new Map<string, string>();
  for (let round = 0; round < rounds; round++) {
    const server: RunningBinary = await serve(installation.folder);
    const acknowledged = new Map<string, string>();
    const working = Array.from({ length: clients }, () => createUntilGone(server.url, token, acknowledged));
    // The kill comes while requests are in flight.
    const enough = 20 + Math.floor(Math.random() * 400);
    await until(() => acknowledged.size >= enough || undefined);
    await server.stop("SIGKILL");
    await Promise.all(working);
    expect(acknowledged.size).toBeGreaterThan(0);

    const again = await serve(installation.folder);
    for (const [key, text] of acknowledged) {
      const replay = await createSurvivor(again.url, token, key);
      expect(replay.headers.get("idempotent-replayed")).toBe("true");
      expect(await replay.text()).toBe(text);
      all.set(key, text);
    }
    await again.stop("SIGKILL");
  }

  const { store } = installation.ctx;
  const stored = await store.all<{ id: string }>("select id from ticket");
  const ids = new Set(stored.map(({ id }) => id));
  const lost = [...all.values()].filter((text) => !ids.has((JSON.parse(text) as { id: string }).id));
  expect(lost).toEqual([]);
  const table = onPostgres ? "idempotency" : "idempotency_key";
  const keys = await store.all(`select ticket_id from ${table} group by ticket_id having count(*) > 1`);
  expect(keys).toEqual([]);
  const halves = await store.all(
    `select id from ticket where id not in (select ticket_id from activity)
     union all select ticket_id from ${table} where ticket_id not in (select id from ticket)`,
  );
  expect(halves).toEqual([]);
  expect(await faultsFound(installation.folder)).toEqual([]);
}, 400_000);
