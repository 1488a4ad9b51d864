import { expect, test } from "bun:test";
import fc from "fast-check";
import { readRecordName, recordName } from "./queue-store.ts";

/** Times before 2001, for clocks that were never set, up to the largest `Date`. */
const at = fc.oneof(fc.nat({ max: 8_640_000_000_000_000 }), fc.nat({ max: 2_000_000 }), fc.constant(Date.now()));
/** Counts up to those of a server that runs for years. */
const count = fc.oneof(fc.nat({ max: 10 }), fc.nat(), fc.constantFrom(999_999, 1_000_000));
const size = fc.nat({ max: 30_000_000 });

test("a name says what it was made of", () => {
  fc.assert(
    fc.property(at, count, size, fc.uuid(), (at, count, size, reportId) => {
      expect(readRecordName(recordName({ at, size, reportId }, count))).toEqual({ at, size, reportId });
    }),
  );
});

test("a name is made of 0-9, a-f and -, up to 80 characters", () => {
  fc.assert(
    fc.property(at, count, size, fc.uuid(), (at, count, size, reportId) => {
      expect(recordName({ at, size, reportId }, count)).toMatch(/^[0-9a-f-]{1,80}$/);
    }),
  );
});

test("names sort as reports were captured", () => {
  const captured = fc.array(fc.tuple(fc.nat({ max: 2 }), size, fc.uuid()), { minLength: 2, maxLength: 12 });
  const now = fc.integer({ min: 1_000_000_000_000, max: 9_000_000_000_000 });
  fc.assert(
    fc.property(now, fc.nat({ max: 900_000 }), captured, (from, first, reports) => {
      let at = from;
      const names = reports.map(([later, size, reportId], index) => {
        at += later;
        return recordName({ at, size, reportId }, first + index);
      });
      expect(names.toSorted()).toEqual(names);
    }),
  );
});
