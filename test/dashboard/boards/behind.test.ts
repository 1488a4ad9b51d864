import { afterAll, beforeAll, expect, test } from "bun:test";
import { behindMax } from "../../../server/core/behind-max.ts";
import { search } from "../../../server/search/search.ts";
import { CardIndex } from "../../../server/tickets/card-index.ts";
import { createCard } from "../../../server/tickets/create-card.ts";
import { type Installation, install } from "../../support/installation.ts";
import { until } from "../../support/until.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

const noReports = { behind: async () => 0 };

/** The search as a server sees it whose index has not come further than this one. */
const found = (cards: CardIndex, q: string) =>
  search({
    ctx: installation.ctx,
    indexes: { cards, reports: noReports },
    input: { q, limit: 5, kinds: undefined },
  });

async function makeCards(count: number) {
  const { ctx, made } = installation;
  const columnId = made.columns[0]?.id ?? "";
  for (let i = 0; i < count; i++) {
    await createCard({
      ctx,
      input: { op: crypto.randomUUID(), columnId, after: null, fields: { title: `Sloth ${i}` } },
    });
  }
}

async function indexAll(index: CardIndex) {
  index.start();
  await until(async () => ((await index.behind(behindMax)) === 0 ? true : undefined));
  await index.stop();
}

test("the search says how many new cards it does not find yet, and nothing once it finds all", async () => {
  const { store } = installation.ctx;
  const index = new CardIndex(store);
  await indexAll(index);
  await makeCards(3);
  expect(await found(index, "sloth")).toEqual({ groups: [], behind: { cards: 3, reports: 0 } });
  expect(await found(index, crypto.randomUUID())).toEqual({ groups: [] });
  const next = new CardIndex(store);
  await indexAll(next);
  const { groups, ...rest } = await found(next, "sloth");
  expect(groups.map(({ items }) => items.length)).toEqual([3]);
  expect(rest).toEqual({});
});

test("after a restart only the cards count that are not indexed, and not all that are still to be looked through", async () => {
  await indexAll(new CardIndex(installation.ctx.store));
  await makeCards(2);
  expect(await new CardIndex(installation.ctx.store).behind(behindMax)).toBe(2);
  expect(await new CardIndex(installation.ctx.store).behind(1)).toBe(1);
});
