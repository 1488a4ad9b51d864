import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { connected, reusedDatabaseWithSchema } from "../../support/postgres-schema.ts";

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let store: PostgresStore;
let url: string;
let drop: () => Promise<void>;
beforeEach(async () => {
  ({ url, drop } = await reusedDatabaseWithSchema());
  store = await PostgresStore.open({ connection: readDatabaseUrl(url), connections: 8 });
});
afterEach(async () => {
  await store.close();
  await drop();
});

test("a statement that is planned while a table has one row does not read the whole table later", async () => {
  await connected(url, async (db) => {
    await db.run("insert into setting (name, value) values ('source_ip', 'off')");
    await db.run("analyze setting");
  });
  const [plan] = await store.query("explain (format json) select value from setting where name = $1", ["source_ip"]);
  expect(JSON.stringify(plan)).toContain("Index Scan");
});

test("while other writes come without a pause, derived ones take a tenth of the time", async () => {
  let isOver = false;
  const others = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      await store.write((tx) => tx.run("update setting set value = value where name = ''"), { isolation: "group" });
    }
  });
  const derive = () => store.writeDerived((tx) => tx.one("select pg_sleep(0.1) is null as slept"), { within: 10 });
  await derive();
  const first = performance.now();
  await derive();
  expect(performance.now() - first).toBeGreaterThan(900);
  isOver = true;
  await Promise.all(others);
});
