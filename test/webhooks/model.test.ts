import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { claim } from "../../server/webhooks/deliveries/claim.ts";
import { settle } from "../../server/webhooks/deliveries/settle.ts";
import { ended } from "../support/deliveries.ts";
import { type Installation, install } from "../support/installation.ts";
import * as does from "./commands.ts";
import { compare } from "./compare.ts";
import { Model } from "./model.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

const which = fc.nat(30);
const outcome = fc.constantFrom("accepted", "failed", "failed", "failed", "gone", "hopeless");
const end = fc
  .record({
    picks: fc.array(fc.nat(100), { minLength: 1, maxLength: 8 }),
    outcome,
    random: fc.constantFrom(0, 0.25, 0.5, 1),
    took: fc.constantFrom(0, 10, 15_000, 40_000),
    retryAfterMs: fc.constantFrom(undefined, undefined, 1_000, 1e12),
  })
  .map(({ picks, retryAfterMs, ...rest }) =>
    does.end(picks, { ...rest, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }),
  );
// Also back, and by days, as a clock does that is set right.
const passing = fc
  .constantFrom(0, 1, 1_000, 4_000, 6_000, 29_999, 30_000, 60_000, 300_000, 600_000, 9e6, 1e8, 5e8, -1, -5_000, -1e8)
  .map(does.pass);
const often = [
  fc.integer({ min: 1, max: 6 }).map(does.tell),
  fc.constantFrom(1, 3, 17, 64).map(does.take),
  fc.constant(does.take(64)),
  end,
  end,
  passing,
];
const seldom = [
  fc.constant(null).map(does.add),
  fc.tuple(which, fc.constantFrom("pause", "resume", "enable")).map((args) => does.change(...args)),
  which.map(does.replay),
  fc.oneof(
    fc.boolean().map(does.abandon),
    fc.tuple(which, fc.constantFrom(0, 1_000, 1e9)).map((args) => does.replaySince(...args)),
    which.map(does.forget),
    which.map(does.remove),
  ),
];

test("whatever happens to deliveries, whenever: the store does what the contract says, and everything comes to an end", async () => {
  const commands = fc.commands([...often, ...often, ...seldom], { maxCommands: 80, size: "max" });
  await fc.assert(
    fc.asyncProperty(commands, async (sequence) => {
      await empty();
      const model = new Model();
      const beginning = async () => {
        for (let n = 0; n < 3; n++) await does.add().act(model, installation);
        return { model, real: installation };
      };
      const start = await beginning();
      await fc.asyncModelRun(() => start, sequence);
      await finish(model);
    }),
    { numRuns: 60 },
  );
}, 180_000);

async function empty() {
  await installation.ctx.store.write(function* (tx) {
    for (const table of ["event", "message", "subscriber", "audit"]) yield* tx.run(`delete from ${table}`);
  });
}

/** Receivers get well, the clock goes on, whoever has something lets go of it: then nothing is left to do. */
async function finish(model: Model) {
  const { store, newId } = installation.ctx;
  await does.abandon(true).run(model, installation);
  for (const [i, { state }] of [...model.subscribers.values()].entries()) {
    if (state !== "active") await does.change(i, state === "paused" ? "resume" : "enable").run(model, installation);
  }
  const options = { schedule: does.schedule, random: () => 0.5 };
  for (;;) {
    const left = [...model.deliveries.values()].filter(({ state }) => state === "waiting");
    if (left.length === 0) break;
    model.now = Math.max(
      ...left.map(({ nextAt }) => nextAt),
      ...[...model.subscribers.values()].map(({ health }) => health.openUntil ?? 0),
      model.now,
    );
    const claimed = await claim(store, { limit: 64, now: model.now, newId });
    expect(claimed.length).toBeGreaterThan(0);
    model.claim(claimed, 64);
    const attempts = claimed.map((one) => ended(one, "accepted", { startedAt: model.now }));
    await settle(store, attempts, { ...options, now: model.now });
    for (const attempted of attempts) model.settle(attempted, options);
  }
  await compare(model, installation);
}
