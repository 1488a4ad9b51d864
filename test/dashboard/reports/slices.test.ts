import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Step, Store, Tx, Write } from "../../../server/core/store.ts";
import { EnvelopeReader } from "../../../server/envelope/envelope-reader.ts";
import { ReportIndex } from "../../../server/reports/report-index.ts";
import { CardIndex } from "../../../server/tickets/card-index.ts";
import { createCard } from "../../../server/tickets/create-card.ts";
import { type Installation, install } from "../../support/installation.ts";
import { until } from "../../support/until.ts";
import { seedReports } from "./seed.ts";

const count = 120;
const reader = new EnvelopeReader();
let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(async () => {
  reader.close();
  await installation.remove();
});

/** A store that counts the questions whose answers are waited for, which take a way to the database and back each. */
function counting() {
  const { store } = installation.ctx;
  const asked = { questions: 0, indexed: 0 };
  const counted = <T>(write: Write<T>): Write<T> =>
    function* (tx: Tx): Step<T> {
      const steps = write(tx);
      let step = steps.next();
      while (!step.done) {
        if (!("rowless" in step.value)) asked.questions++;
        step = steps.next(yield step.value);
      }
      return step.value;
    };
  const read: Store["all"] = (sql, params) => {
    asked.questions++;
    return store.all(sql, params);
  };
  const one: Store["one"] = async (sql, params) => {
    asked.questions++;
    return store.one(sql, params);
  };
  const writeDerived: Store["writeDerived"] = (write, options) => {
    asked.indexed++;
    return store.writeDerived(counted(write), options);
  };
  return { asked, store: { ...store, engine: store.engine, all: read, one, writeDerived } as Store };
}

test("reports are indexed with a few questions for each slice, however many are in it", async () => {
  await seedReports(installation, count, { every: 1 });
  const { asked, store } = counting();
  const index = new ReportIndex({ store, reader, now: installation.ctx.now });
  await index.start();
  await index.finish();
  await index.stop();
  const [row] = await installation.ctx.store.all<{ count: number }>(
    "select cast(count(*) as integer) as count from report_number",
  );
  expect(row?.count).toBe(count);
  expect(asked.indexed).toBeLessThan(count / 4);
  expect(asked.questions / asked.indexed).toBeLessThan(6);
});

test("cards are indexed with a few questions for each slice, however many are in it", async () => {
  const { ctx, made } = installation;
  const columnId = made.columns[0]?.id ?? "";
  for (let i = 0; i < count; i++) {
    const fields = { title: `Sloth ${i}` };
    await createCard({ ctx, input: { op: crypto.randomUUID(), columnId, after: null, fields } });
  }
  const { asked, store } = counting();
  const index = new CardIndex(store);
  index.start();
  await until(async () => {
    const rows = await ctx.store.all<{ count: number }>("select cast(count(*) as integer) as count from card_text");
    return rows[0]?.count === count ? true : undefined;
  });
  await index.stop();
  expect(asked.indexed).toBeLessThan(count / 4);
  expect(asked.questions / asked.indexed).toBeLessThan(6);
});
