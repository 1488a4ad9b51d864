import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { addMember } from "./add-member.ts";
import { knownSince } from "./known-networks.ts";
import { removeMember } from "./remove-member.ts";
import { startSessionStep } from "./session.ts";

const day = 86_400_000;

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

async function member() {
  const input = { email: `${crypto.randomUUID()}@example.org`, name: "One", role: "member" } as const;
  const { id } = await addMember({ ctx: installation.ctx, input });
  return id;
}

function enter(memberId: string, network: string, now: number, cutoff = (age: number) => now - age) {
  const { ctx } = installation;
  return ctx.store.write(function* (tx) {
    const session = { id: ctx.newId(), secret: crypto.randomUUID() };
    yield* startSessionStep(tx, session, {
      memberId,
      visit: { userAgent: null, network },
      now,
      cutoff,
      method: "password",
    });
  });
}

const known = async (memberId: string) =>
  (
    await installation.ctx.store.all<{ network: string }>(
      "select network from known_network where member_id = $1 order by seen_at",
      [memberId],
    )
  ).map(({ network }) => network);

test("the twenty networks that were used last are kept of each member, and all go with the member", async () => {
  const [one, other] = [await member(), await member()];
  const now = installation.ctx.now();
  await enter(other, "192.0.2.0/24", now);
  for (let i = 0; i < 20; i++) await enter(one, `198.51.${i}.0/24`, now + i);
  await enter(one, "198.51.0.0/24", now + 20);
  await enter(one, "203.0.113.0/24", now + 21);
  const kept = await known(one);
  expect(kept).toHaveLength(20);
  expect(kept.slice(-2)).toEqual(["198.51.0.0/24", "203.0.113.0/24"]);
  expect(kept).not.toContain("198.51.1.0/24");
  await removeMember({ ctx: installation.ctx, input: { id: one } });
  expect(await known(one)).toEqual([]);
  expect(await known(other)).toEqual(["192.0.2.0/24"]);
});

test("a network is forgotten 90 days after its last use, but not while the clock is not trusted", async () => {
  const [one, other] = [await member(), await member()];
  const now = installation.ctx.now();
  await enter(one, "192.0.2.0/24", now);
  const later = now + 90 * day;
  expect(knownSince(later)).toBe(now);
  await enter(other, "198.51.100.0/24", later, () => Number.NEGATIVE_INFINITY);
  expect(await known(one)).toEqual(["192.0.2.0/24"]);
  await enter(other, "198.51.100.0/24", later - 1);
  expect(await known(one)).toEqual(["192.0.2.0/24"]);
  await enter(other, "198.51.100.0/24", later);
  expect(await known(one)).toEqual([]);
});
