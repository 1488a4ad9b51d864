import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import fc from "fast-check";
import { checker, isDay, longerThan } from "./check.ts";
import { ClaimRun } from "./schema/runner.ts";
import { CreateTicket } from "./schema/ticket.ts";

test("lengths are code points, whatever the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, max) => {
      expect(longerThan(text, max)).toBe([...text].length > max);
    }),
  );
});

test("a day is one that the calendar has", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9_999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (y, m, d) => {
        const text = `${String(y).padStart(4, "0")}-${String(m).padStart(2, "0")}-${String(d).padStart(2, "0")}`;
        const date = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
        expect(isDay(text)).toBe(exists);
      },
    ),
  );
});

test("no value of any member, known or not, makes the checker throw", () => {
  const check = checker(CreateTicket);
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...Object.keys(CreateTicket.properties), "x", "__proto__"), fc.jsonValue()),
      (body) => {
        for (const { path, code, message } of check(body)) {
          expect([path.startsWith("/"), code.length > 0, message.endsWith(".")]).toEqual([true, true, true]);
        }
      },
    ),
  );
});

test("what is nested is found where it stands, whatever it is", () => {
  const check = checker(ClaimRun);
  const member = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom(...Object.keys(ClaimRun.properties.runner.properties), "x", "__proto__"),
      fc.jsonValue(),
    ),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(ClaimRun.properties)), member), (body) => {
      const faults = check(body);
      expect(faults.length === 0).toBe(Value.Check(ClaimRun, body));
      for (const { path, message } of faults) {
        expect([path.startsWith("/"), message.endsWith(".")]).toEqual([true, true]);
      }
    }),
  );
});
