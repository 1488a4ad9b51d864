import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { backlog, byClock, deliveriesOf, ended, rowCount, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { withoutTable } from "../../../test/support/storage.ts";
import { until } from "../../../test/support/until.ts";
import { CommitInDoubt, type Sql, StoreUnavailable } from "../../core/store.ts";
import type { Claimed, LeaseHolder } from "./claim.ts";
import type { Attempted, Settled } from "./settle.ts";
import { DeliveryWorker } from "./worker.ts";

let installation: Installation;
let subscriberId: string;
let now: number;
let worker: DeliveryWorker;
/** Attempts that the test ends. */
let underWay: { claimed: Claimed; end: (outcome: Attempted["outcome"]) => void; fail: (error: Error) => void }[];
let begun: number;
let most: number;
let settled: Settled[];

beforeEach(async () => {
  now = Date.UTC(2026, 4, 1);
  installation = byClock(await install(), () => now);
  subscriberId = (await subscribe(installation)).id;
  [underWay, begun, most, settled] = [[], 0, 0, []];
  worker = newWorker();
});
afterEach(async () => {
  const stopping = worker.stop();
  for (const { end } of underWay.splice(0)) end("failed");
  await stopping;
  await installation.remove();
});

function newWorker(holder?: LeaseHolder) {
  const { store, newId } = installation.ctx;
  return new DeliveryWorker({
    store,
    holder,
    schedule: [0, 5, 300],
    now: () => now,
    monotonic: () => now,
    newId,
    settled: (one) => settled.push(one),
    attempt: (claimed) => {
      const { promise, resolve, reject } = Promise.withResolvers<Attempted>();
      const startedAt = now;
      underWay.push({ claimed, end: (outcome) => resolve(ended(claimed, outcome, { startedAt })), fail: reject });
      begun++;
      most = Math.max(most, underWay.length);
      return promise;
    },
  });
}

const untilBegun = (count: number) => until(() => begun >= count || undefined);
const untilSettled = (count: number) => until(() => settled.length >= count || undefined);
const accept = (count = underWay.length) => {
  for (const { end } of underWay.splice(0, count)) end("accepted");
};
const leased = async () => (await installation.ctx.store.all("select id from delivery where state = 'leased'")).length;

test("what is there at the start is sent, and what comes afterwards, by whatever process", async () => {
  await tell(installation);
  await worker.start({ alone: true });
  await untilBegun(1);
  await tell(installation);
  await untilBegun(2);
  accept();
  await untilSettled(2);
  expect((await deliveriesOf(installation, subscriberId)).map(({ state }) => state)).toEqual([
    "delivered",
    "delivered",
  ]);
});

test("a wake while it claims is not lost", async () => {
  await tell(installation);
  worker.wake();
  const told = tell(installation);
  worker.wake();
  await told;
  worker.wake();
  await untilBegun(2);
});

test("of twelve subscribers with much to be told, 48 are under way, and as one ends the next begins", async () => {
  for (let n = 0; n < 11; n++) await backlog(installation, (await subscribe(installation)).id, 10);
  await backlog(installation, subscriberId, 10);
  worker.wake();
  for (let done = 0; done < 120; done++) {
    await untilBegun(Math.min(48 + done, 120));
    const counts = Map.groupBy(underWay, ({ claimed }) => claimed.subscriberId);
    expect(Math.max(...[...counts.values()].map((some) => some.length))).toBeLessThanOrEqual(8);
    accept(1);
    await untilSettled(done + 1);
  }
  expect([begun, most]).toEqual([120, 48]);
  expect(new Set(settled.map(({ attempted }) => attempted.claimed.id)).size).toBe(120);
}, 180_000);

test("seventy that have one thing to be told each fill 64 places, once they have answered fast", async () => {
  const ids = [subscriberId];
  for (let n = 1; n < 70; n++) ids.push((await subscribe(installation, n < 50 ? {} : { projectId: null })).id);
  for (const id of ids) await backlog(installation, id, 1);
  worker.wake();
  for (let done = 0; done < 70; ) {
    await until(() => underWay.length > 0 || undefined);
    done += underWay.length;
    accept();
    await untilSettled(done);
  }
  for (const id of ids) await backlog(installation, id, 1);
  worker.wake();
  await untilBegun(70 + 64);
  expect(underWay).toHaveLength(64);
}, 180_000);

test("attempts are settled and deliveries for the places they leave are claimed in one turn, which storage groups", async () => {
  await backlog(installation, subscriberId, 20);
  worker.wake();
  await untilBegun(8);
  const { store } = installation.ctx;
  const writes: string[] = [];
  const write = store.write.bind(store);
  store.write = async (one) => {
    writes.push("requested");
    const value = await write(one);
    writes.push("on disk");
    return value;
  };
  accept(3);
  await untilBegun(11);
  await untilSettled(3);
  // PostgreSQL is asked once more when both are done, as it may have run the claim beside the settling.
  expect(writes.slice(0, 4)).toEqual(["requested", "requested", "on disk", "on disk"]);
});

describe("stopped", () => {
  test("it waits for what is under way, writes it down, and begins nothing more", async () => {
    await backlog(installation, subscriberId, 20);
    worker.wake();
    await untilBegun(8);
    const stopping = worker.stop();
    worker.wake();
    accept();
    await stopping;
    expect([begun, await leased(), settled.length]).toEqual([8, 0, 8]);
  });

  test("while it claims, it waits for what it has claimed", async () => {
    await tell(installation);
    worker.wake();
    const stopping = worker.stop();
    let stopped = false;
    void stopping.then(() => {
      stopped = true;
    });
    await until(async () => begun > 0 || stopped || undefined);
    accept();
    await stopping;
    // Runs after everything that was begun before.
    await installation.ctx.store.write(function* () {});
    // A delivery was either not claimed or sent to its end: no lease has to expire.
    expect(await leased()).toBe(0);
    expect(settled.length).toBe(begun);
  });

  test("while it writes down, it waits for that", async () => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    accept();
    const { promise: writing, resolve } = Promise.withResolvers<void>();
    const { store } = installation.ctx;
    const write = store.write.bind(store);
    store.write = (one) => {
      resolve();
      return write(one);
    };
    await writing;
    await worker.stop();
    expect(settled).toHaveLength(1);
    expect(await leased()).toBe(0);
  });

  test("while one attempt takes long to be written down, it waits for that after those that ended later", async () => {
    await backlog(installation, subscriberId, 2);
    worker.wake();
    await untilBegun(2);
    const [begunFirst, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { store } = installation.ctx;
    const write = store.write.bind(store);
    store.write = async (...one) => {
      store.write = write;
      begunFirst.resolve();
      await mayEnd.promise;
      return write(...one);
    };
    accept(1);
    await begunFirst.promise;
    accept(1);
    await untilSettled(1);
    const stopping = worker.stop();
    // Time enough to stop for a worker that does not wait.
    await Promise.race([stopping, Bun.sleep(100)]);
    mayEnd.resolve();
    await stopping;
    expect(settled).toHaveLength(2);
    expect(await leased()).toBe(0);
  });
});

describe("at the start", () => {
  test("the only server takes up what an earlier life has left", async () => {
    await backlog(installation, subscriberId, 3);
    worker.wake();
    await untilBegun(3);
    const next = newWorker();
    await next.start({ alone: true });
    expect(settled.map(({ attempted }) => attempted.error)).toEqual(["abandoned", "abandoned", "abandoned"]);
    await next.stop();
  });

  test("what was told while the clock was ahead is sent now", async () => {
    now = Date.UTC(2099, 0, 1);
    await tell(installation);
    now = Date.UTC(2026, 4, 1);
    await worker.start({ alone: true });
    await untilBegun(1);
  });

  test("one of several leaves to the others what they are at, for a minute", async () => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    for (const [later, abandoned] of [
      [59_999, 0],
      [1, 1],
    ] as const) {
      now += later;
      const next = newWorker();
      await next.start({ alone: false });
      expect(settled).toHaveLength(abandoned);
      await next.stop();
    }
  });
});

test("a process that others count as dead claims nothing until it is alive again", async () => {
  await tell(installation);
  let [alive, asked] = [false, 0];
  const holder = {
    id: crypto.randomUUID(),
    alive: () => {
      asked++;
      return alive;
    },
  };
  const paused = newWorker(holder);
  await paused.start({ alone: false });
  await until(() => asked >= 1 || undefined);
  paused.wake();
  await until(() => asked >= 3 || undefined);
  expect(begun).toBe(0);
  alive = true;
  await untilBegun(1);
  expect(underWay[0]?.claimed.lease).toStartWith(`${holder.id} `);
  accept();
  await paused.stop();
});

const textOf = (sql: Sql) => (typeof sql === "string" ? sql : sql.postgres);

describe("while storage is away", () => {
  /** How many writes have failed. */
  let tried: number;

  /** Until it is called, writes fail: before anything of them is stored, or after. */
  function takeAway(when: "before" | "after"): () => void {
    const { store } = installation.ctx;
    const write = store.write.bind(store);
    tried = 0;
    store.write = async (...one) => {
      tried++;
      if (when === "before") throw new StoreUnavailable("away");
      await write(...one);
      throw new CommitInDoubt("away");
    };
    return () => {
      store.write = write;
    };
  }

  test("what was sent is written down once it is back, and not sent again", async () => {
    await tell(installation);
    await worker.start({ alone: false });
    await untilBegun(1);
    const giveBack = takeAway("before");
    accept();
    await until(() => tried >= 2 || undefined);
    expect(await leased()).toBe(1);
    giveBack();
    await untilSettled(1);
    expect([begun, settled[0]?.state]).toEqual([1, "delivered"]);
  });

  test("what was sent is written down once, also when the first time was stored", async () => {
    await tell(installation);
    await worker.start({ alone: false });
    await untilBegun(1);
    const giveBack = takeAway("after");
    accept();
    await until(async () => ((await leased()) === 0 ? true : undefined));
    giveBack();
    await untilSettled(1);
    expect([begun, await rowCount(installation, "attempt")]).toEqual([1, 1]);
  });

  test("what was claimed, although that is not known, is sent once it is back", async () => {
    await tell(installation);
    const giveBack = takeAway("after");
    await worker.start({ alone: false });
    await until(async () => ((await leased()) === 1 ? true : undefined));
    giveBack();
    await untilBegun(1);
    expect(underWay[0]?.claimed.number).toBe(1);
  });

  test("claims that fail again and again, as on a full disk, leave nothing to be given back", async () => {
    await backlog(installation, subscriberId, 20);
    const { store } = installation.ctx;
    const write = store.write.bind(store);
    let lastTried: string[] = [];
    tried = 0;
    store.write = (one, options) =>
      write(function* (tx) {
        const statements: string[] = [];
        const run = tx.run.bind(tx);
        yield* one({
          ...tx,
          *run(sql, params) {
            statements.push(textOf(sql));
            yield* run(sql, params);
          },
        });
        lastTried = statements;
        tried++;
        throw new StoreUnavailable("the disk is full");
      }, options);
    for (let wakes = 1; wakes <= 30; wakes++) {
      worker.wake();
      await until(() => tried >= wakes || undefined);
    }
    expect(lastTried.length).toBe(8);
    store.write = write;
    worker.wake();
    await untilBegun(8);
  });

  test("what could not be read to be sent is sent once it is back", async () => {
    await tell(installation);
    await worker.start({ alone: false });
    await untilBegun(1);
    underWay.shift()?.fail(new StoreUnavailable("away"));
    await untilBegun(2);
    accept();
    await untilSettled(1);
    expect(settled[0]).toMatchObject({ state: "delivered", attempted: { claimed: { number: 1 } } });
  });
});

describe("a fault of this program", () => {
  test("in one attempt affects no other attempt, and the delivery is tried again when its lease has expired", async () => {
    await backlog(installation, subscriberId, 2);
    worker.wake();
    await untilBegun(2);
    underWay.shift()?.fail(new Error("a bug"));
    accept();
    await untilSettled(1);
    expect(await leased()).toBe(1);
    now += 60_000;
    const next = newWorker();
    await next.start({ alone: false });
    expect(settled[1]).toMatchObject({ state: "waiting", attempted: { error: "abandoned" } });
    now += 6_000;
    await untilBegun(3);
    accept();
    // By whichever of the two has claimed it.
    await untilSettled(3);
    await next.stop();
    expect(settled[2]).toMatchObject({ state: "delivered", attempted: { claimed: { number: 2 } } });
  });

  test("in writing down loses nothing: it is sent again", async () => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    await withoutTable(installation, "attempt", async () => {
      accept();
      await worker.stop();
    });
    expect([settled.length, await leased()]).toEqual([0, 1]);
    worker = newWorker();
    now += 60_000;
    await worker.start({ alone: false });
    now += 6_000;
    worker.wake();
    await untilBegun(2);
    accept();
    await untilSettled(2);
    const [delivery] = await deliveriesOf(installation, subscriberId);
    expect(delivery).toMatchObject({ state: "delivered", attempts: [{ error: "abandoned" }, { status: 200 }] });
    expect(await rowCount(installation, "attempt")).toBe(2);
  });
});
