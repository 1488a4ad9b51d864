import { expect, test } from "bun:test";
import { type IngestOptions, RateLimitError } from "@intake/client/ingest";
import { describeTargets, type Target } from "../../support/targets.ts";
import { until } from "../../support/until.ts";
import { clientBehind } from "./client-behind.ts";
import type { Fault, FaultyWay } from "./faulty-way.ts";
import { memoryStore } from "./memory-store.ts";

const held: Fault = { status: 429, retryAfter: "1" };
/** Timers of some platforms fire a little early, and the client reads an answer a moment after it came. */
const toleranceMs = 20;

/** One request as the client saw it, in milliseconds of its own clock. */
interface Exchange {
  begunAt: number;
  /** When the client learnt that its key is held, and for how long. */
  heldAt?: number;
  heldMs?: number;
}

describeTargets("a 429 holds the key", suite, ["compiled binary"], { rateLimits: false });

function suite(target: () => Target) {
  /** Its requests are noted where the client sends them: on the way to the server they are late on a busy machine. */
  const clientWith = async (faults?: Fault[], options?: Partial<IngestOptions>) => {
    const exchanges: Exchange[] = [];
    const noting = async (...request: Parameters<typeof fetch>) => {
      const exchange: Exchange = { begunAt: performance.now() };
      exchanges.push(exchange);
      const { status, headers, body } = await fetch(...request).then(read);
      const retryAfter = status === 429 && headers.get("retry-after");
      if (retryAfter) Object.assign(exchange, { heldAt: performance.now(), heldMs: Number(retryAfter) * 1_000 });
      return new Response(body, { status, headers });
    };
    return { exchanges, ...(await clientBehind(target(), faults, { fetch: noting as never, ...options })) };
  };

  test("for the queue, whatever is captured and flushed meanwhile", async () => {
    const { way, reports, violations, exchanges } = await clientWith([held, held]);
    for (const title of ["1", "2"]) reports.capture({ title });
    await way.arrived(1);
    while (reports.stats().queued > 0) {
      reports.capture({ title: "meanwhile" });
      await reports.flush(250);
    }
    expectNothingDuringHolds(way, exchanges);
    expect(way.arrivals.length).toBe(reports.stats().captured + 2);
    expect(violations).toEqual([]);
    way.close();
  });

  test("for a report that is submitted while the queue was told to wait", async () => {
    const { way, reports, exchanges } = await clientWith([held]);
    reports.capture({ title: "told to wait" });
    expect(await reports.flush(100)).toBe(false);
    const receipt = await reports.submit({ title: "waits as well" });
    expect(receipt.idempotent).toBe(false);
    expect(await reports.flush()).toBe(true);
    expectNothingDuringHolds(way, exchanges);
    way.close();
  });

  test("for the queue while a report that is submitted was told to wait", async () => {
    const { way, reports, exchanges } = await clientWith([held]);
    const submitted = reports.submit({ title: "told to wait" });
    await answered(way, 1);
    reports.capture({ title: "waits as well" });
    expect(await reports.flush()).toBe(true);
    await submitted;
    expectNothingDuringHolds(way, exchanges);
    way.close();
  });

  test("for the second try of a report that failed for another reason", async () => {
    const { way, reports, exchanges } = await clientWith([{ status: 503 }, held]);
    const submitted = reports.submit({ title: "tried again after a moment" });
    await answered(way, 1);
    reports.capture({ title: "told to wait" });
    await submitted;
    expect(await reports.flush()).toBe(true);
    expectNothingDuringHolds(way, exchanges);
    way.close();
  });

  test("for many at once, each time anew", async () => {
    const { way, reports, exchanges } = await clientWith([held, held, held]);
    reports.capture({ title: "told to wait" });
    expect(await reports.flush(100)).toBe(false);
    const submitted = ["1", "2", "3", "4"].map((title) => reports.submit({ title }, { maxRetries: 5 }));
    await Promise.all(submitted);
    expect(await reports.flush()).toBe(true);
    expectNothingDuringHolds(way, exchanges);
    way.close();
  });

  test("and a 429 that names no time does not end it", async () => {
    const { way, reports, exchanges } = await clientWith(["stall", { status: 429, retryAfter: "3600" }]);
    // This request is under way when the key is held; its own answer names a shorter wait.
    const submitted = reports.submit({ title: "answered last" }, { maxRetries: 0 }).catch((error: unknown) => error);
    await way.arrived(1);
    reports.capture({ title: "told to wait" });
    await isHeld(exchanges);
    expect(await reports.flush(100)).toBe(false);
    await way.answer(0, { status: 429 });
    expect(await submitted).toBeInstanceOf(RateLimitError);
    expect(await reports.flush(500)).toBe(false);
    expect(way.arrivals.length).toBe(2);
    way.close();
  });

  test("and one that is longer than anybody wants to wait fails what is submitted, and keeps what is captured", async () => {
    const { way, reports, exchanges } = await clientWith([{ status: 429, retryAfter: "3600" }]);
    reports.capture({ title: "waits for an hour" });
    await isHeld(exchanges);
    expect(await reports.flush(100)).toBe(false);
    const error = await reports.submit({ title: "does not" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(3_500_000);
    expect(await reports.flush(50)).toBe(false);
    expect(reports.stats()).toMatchObject({ captured: 2, queued: 1, dropped: { refused: 1 } });
    expect(way.arrivals.length).toBe(1);
    way.close();
  });

  test("also for a key that is paused: nothing is lost, and all is sent when it is resumed", async () => {
    const { way, reports, exchanges } = await clientWith([{ status: 429, retryAfter: "1" }], { store: memoryStore() });
    for (let index = 0; index < 5; index++) reports.capture({ title: `${index}` });
    expect(await reports.flush(60_000)).toBe(true);
    expectNothingDuringHolds(way, exchanges);
    expect(way.arrivals.map(({ envelope }) => envelope.title)).toEqual(["0", "0", "1", "2", "3", "4"]);
    way.close();
  });
}

/** The whole answer: the client learns that its key is held once it has read the body. */
async function read(answer: Response) {
  return { status: answer.status, headers: answer.headers, body: await answer.bytes() };
}

/** Waits until the answer that holds the key has reached the client. */
function isHeld(exchanges: readonly Exchange[]) {
  return until(() => exchanges.some(({ heldAt }) => heldAt !== undefined) || undefined);
}

async function answered(way: FaultyWay, count: number) {
  const arrival = await way.arrived(count);
  while (arrival.answeredAt === undefined) await new Promise((resolve) => setImmediate(resolve));
}

/** From the answer that holds the key until the hold ends, the client begins no request. */
function expectNothingDuringHolds({ arrivals }: FaultyWay, exchanges: readonly Exchange[]) {
  const holds = exchanges.filter(({ heldAt }) => heldAt !== undefined);
  expect(holds.length).toBeGreaterThan(0);
  expect(holds.length).toBe(arrivals.filter(({ fault }) => typeof fault === "object" && fault.retryAfter).length);
  for (const { heldAt = 0, heldMs = 0 } of holds) {
    const during = ({ begunAt }: Exchange) => begunAt > heldAt + toleranceMs && begunAt < heldAt + heldMs - toleranceMs;
    const early = exchanges.filter(during);
    expect(early.map(({ begunAt }) => `a request after ${begunAt - heldAt} ms`)).toEqual([]);
  }
}
