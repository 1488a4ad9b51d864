import { expect, test } from "bun:test";
import fc from "fast-check";
import { backoffMs } from "./send-with-retries.ts";

test("full jitter: from nothing up to 0.5 s, 1 s, 2 s and so on, and never more than the maximum", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2_000 }), fc.constantFrom(8_000, 60_000), (failures, maxMs) => {
      const bound = Math.min(maxMs, 500 * 2 ** failures);
      const waits = Array.from({ length: 200 }, () => backoffMs(failures, maxMs));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...waits)).toBeLessThan(bound);
      // One chance in 10^9 that none of 200 lies in the last tenth, or none in the first.
      expect(Math.max(...waits)).toBeGreaterThan(bound * 0.9);
      expect(Math.min(...waits)).toBeLessThan(bound * 0.1);
    }),
    { numRuns: 50 },
  );
});
