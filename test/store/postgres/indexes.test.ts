import "../../support/on-postgres.ts";
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { idMaker } from "../../../server/core/ids.ts";
import { ReportIndex } from "../../../server/reports/report-index.ts";
import { CardIndex } from "../../../server/tickets/card-index.ts";
import { createTicket } from "../../../server/tickets/create.ts";
import { envelope, eventTools, storeReport } from "../../support/ingest.ts";
import { type Installation, install } from "../../support/installation.ts";
import { until } from "../../support/until.ts";

// A new database, or a server to start first, costs a busy machine its time.
setDefaultTimeout(180_000);

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

/** Makes a card whose id is that of another time, as a process with another clock or a slow connection does. */
async function makeCard(now: () => number): Promise<string> {
  const { ctx, made } = installation;
  const { id } = made.apiToken;
  const created = await createTicket({
    ctx: { ...ctx, newId: idMaker(now), actor: { kind: "token", id, name: "" } },
    input: { tokenId: id, ticket: { title: "A card" } },
  });
  return created.replay ? "" : created.ticketId;
}

const indexed = (table: "card_text" | "report_number", column: "card_id" | "event_id", id: string) =>
  until(async () => installation.ctx.store.one(`select 1 as found from ${table} where ${column} = $1`, [id]));

test("a card that is stored after one with a higher id is indexed too", async () => {
  const index = new CardIndex(installation.ctx.store);
  index.start();
  await indexed("card_text", "card_id", await makeCard(() => Date.now()));
  await until(async () => ((await index.behind(10)) === 0 ? true : undefined));
  await indexed("card_text", "card_id", await makeCard(() => Date.now() - 10_000));
  await index.stop();
});

test("a card whose entry a crash of the database took back is indexed again, however long the database was away", async () => {
  const { store } = installation.ctx;
  const index = new CardIndex(store);
  index.start();
  const before = await makeCard(() => Date.now() - 600_000);
  await indexed("card_text", "card_id", before);
  await store.write((tx) => tx.run("delete from card_text where card_id = $1", [before]));
  await indexed("card_text", "card_id", await makeCard(() => Date.now()));
  await indexed("card_text", "card_id", before);
  await index.stop();
});

test("reports that another process stored and did not index are found", async () => {
  const { store, now } = installation.ctx;
  const { reader } = eventTools(installation);
  let ahead = 0;
  const index = new ReportIndex({ store, reader, now: () => now() + ahead });
  await index.start();
  await index.finish();
  const { eventId } = await storeReport(installation, [envelope()]);
  await index.leftovers.wake();
  await index.finish();
  expect(await index.behind(10)).toBe(1);
  // The process that has stored it would have indexed it by then.
  ahead = 6_000;
  await index.leftovers.wake();
  await indexed("report_number", "event_id", eventId);
  await index.stop();
  reader.close();
});
