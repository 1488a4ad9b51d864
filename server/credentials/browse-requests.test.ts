import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { browseRequests, type RequestFilter } from "./browse-requests.ts";

let installation: Installation;
/** Number of entries in each group. */
const size = 3;
const groups = 2_200;

beforeAll(async () => {
  installation = await install();
  const { ctx, made } = installation;
  const base = { status: 201, replayed: false, mismatch: false };
  await ctx.store.write(function* (tx) {
    for (let group = 0; group < groups; group++) {
      const entries = Array.from({ length: size }, (_, i) => ({ ...base, at: group * size + i }));
      // Only the very first request has failed.
      if (group === 0) Object.assign(entries[0] ?? {}, { status: 400, code: "invalid_input" });
      yield* tx.run("insert into api_request_group (token_id, id, at, entries) values ($1, $2, 0, $3)", [
        made.apiToken.id,
        String(group).padStart(8, "0"),
        JSON.stringify(entries),
      ]);
    }
  });
});

afterAll(() => installation.remove());

async function walk(limit: number, filter?: RequestFilter) {
  const { ctx, made } = installation;
  const seen: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await browseRequests({ ctx, input: { tokenId: made.apiToken.id, limit, cursor, filter } });
    seen.push(...page.items.map(({ at }) => at));
    cursor = page.next ?? undefined;
    pages++;
  } while (cursor !== undefined);
  return { seen, pages };
}

test.each([7, 200])("pages of %d join, newest first, whatever lies in how many groups", async (limit) => {
  const { seen } = await walk(limit);
  const wanted = Array.from({ length: groups * size }, (_, i) => new Date(groups * size - 1 - i).toISOString());
  expect(seen).toEqual(wanted);
});

test("a filter that finds little ends its page early, and the cursor goes on to the end", async () => {
  const { seen, pages } = await walk(50, "errors");
  expect(seen).toEqual([new Date(0).toISOString()]);
  expect(pages).toBe(2);
  expect((await walk(50, "mismatches")).seen).toEqual([]);
});
