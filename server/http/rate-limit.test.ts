import { expect, test } from "bun:test";
import fc from "fast-check";
import { RateLimiter } from "./rate-limit.ts";

function limiter(credentialsMax?: number) {
  let now = 0;
  const limits = new RateLimiter({ now: () => now, ...(credentialsMax ? { credentialsMax } : {}) });
  return {
    limits,
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test("in no span of 60 s, wherever it starts, are more than the limit admitted; Retry-After is right", () => {
  const waits = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 });
  fc.assert(
    fc.property(waits, fc.integer({ min: 1, max: 40 }), (pauses, limit) => {
      const { limits, wait } = limiter();
      const admitted: number[] = [];
      let now = 0;
      let promised: number | undefined;
      for (const pause of pauses) {
        wait(pause);
        now += pause;
        const verdict = limits.take("a", limit);
        if (promised !== undefined && now >= promised) expect(verdict.admitted).toBe(true);
        promised = verdict.admitted ? undefined : (promised ?? now + verdict.seconds * 1_000);
        if (verdict.admitted) admitted.push(now);
        const inSpan = admitted.filter((time) => time > now - 60_000).length;
        expect(inSpan).toBeLessThanOrEqual(limit);
        expect(verdict.remaining).toBe(limit - inSpan);
        // A request is refused only when the span is full.
        if (!verdict.admitted) expect(inSpan).toBe(limit);
      }
    }),
  );
});

test("the seconds are right for every fraction of a clock", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (start) => {
      const limits = new RateLimiter({ now: () => start });
      expect(limits.take("a", 1).seconds).toBe(60);
      expect(limits.take("a", 1).seconds).toBe(60);
    }),
  );
});

test("120 requests around the edge of a minute: 60 pass", () => {
  const { limits, wait } = limiter();
  wait(59_900);
  let admitted = 0;
  for (let i = 0; i < 120; i++) {
    if (limits.take("a", 60).admitted) admitted++;
    wait(1);
  }
  expect(admitted).toBe(60);
});

test("with a limit that was lowered, Retry-After waits for all that are too many", () => {
  const { limits, wait } = limiter();
  for (let i = 0; i < 10; i++) {
    limits.take("a", 10);
    wait(1_000);
  }
  const verdict = limits.take("a", 3);
  expect(verdict).toMatchObject({ admitted: false, seconds: 57 });
  wait(57_000);
  expect(limits.take("a", 3).admitted).toBe(true);
});

test("a million a minute fit into memory that grows with use only", () => {
  const { limits } = limiter();
  for (let i = 0; i < 1_000; i++) expect(limits.take("a", 1_000_000).remaining).toBe(1_000_000 - i - 1);
});

test("the map is bounded; who is idle longest is forgotten first", () => {
  const { limits } = limiter(4);
  for (const id of ["a", "b", "c", "d"]) limits.take(id, 1);
  limits.take("a", 1);
  limits.take("e", 1);
  expect(limits.take("a", 1).admitted).toBe(false);
  expect(limits.take("b", 1).admitted).toBe(true);
});

test("a request that is given back does not count", () => {
  const { limits, wait } = limiter();
  for (let i = 0; i < 100; i++) {
    const verdict = limits.take("a", 2);
    expect(verdict).toMatchObject({ admitted: true, remaining: 1 });
    limits.giveBack("a", verdict);
    wait(1);
  }
  expect(limits.take("a", 2).remaining).toBe(1);
  const last = limits.take("a", 2);
  expect(last.remaining).toBe(0);
  expect(limits.take("a", 2).admitted).toBe(false);
  limits.giveBack("a", last);
  expect(limits.take("a", 2)).toMatchObject({ admitted: true, remaining: 0 });
});

test("whichever is given back, the others leave when they would have left", () => {
  const { limits, wait } = limiter();
  const first = limits.take("a", 2);
  wait(33_000);
  limits.take("a", 2);
  limits.giveBack("a", first);
  wait(27_000);
  expect(limits.take("a", 2)).toMatchObject({ admitted: true, remaining: 0, seconds: 33 });
  expect(limits.take("a", 2).admitted).toBe(false);
});

test("there is no credit: what is given back twice, or was never counted, is nothing", () => {
  const { limits } = limiter();
  const verdict = limits.take("a", 1);
  for (let i = 0; i < 3; i++) limits.giveBack("a", verdict);
  const again = limits.take("a", 1);
  expect(again.admitted).toBe(true);
  limits.giveBack("a", { ...again, at: again.at - 1 });
  limits.giveBack("b", again);
  expect(limits.take("a", 1).admitted).toBe(false);
});

test("after one that nobody knows any more is given back, nothing is different", () => {
  const { limits } = limiter(2);
  const [first] = ["a", "b", "c"].map((id) => limits.take(id, 1));
  if (first) limits.giveBack("a", first);
  expect(limits.take("c", 1).admitted).toBe(false);
  expect(limits.take("a", 1).admitted).toBe(true);
});

test("requests that are given back at once are as if they had never come", () => {
  const steps = fc.array(fc.record({ pause: fc.nat(15_000), back: fc.boolean() }), { maxLength: 150 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 30 }), (all, limit) => {
      const one = limiter();
      const other = limiter();
      for (const { pause, back } of all) {
        one.wait(pause);
        other.wait(pause);
        const verdict = one.limits.take("a", limit);
        if (back && verdict.admitted) one.limits.giveBack("a", verdict);
        else expect(other.limits.take("a", limit)).toEqual(verdict);
      }
    }),
  );
});
