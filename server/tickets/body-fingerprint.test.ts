import { expect, test } from "bun:test";
import type { CreateTicket } from "../../openapi/schema/ticket.ts";
import { differingFields, fieldsDigest } from "./body-fingerprint.ts";

const first: CreateTicket = { title: "One", description: "d".repeat(20_000), priority: "high", dueAt: null };

test("names what is another, what is new and what is gone, and nothing else", () => {
  const digest = fieldsDigest(first);
  expect(differingFields(digest, first)).toEqual([]);
  expect(differingFields(digest, { ...first, title: "Two" })).toEqual(["title"]);
  expect(differingFields(digest, { ...first, description: `${"d".repeat(19_999)}e` })).toEqual(["description"]);
  expect(differingFields(digest, { title: "One", priority: "low", startsAt: "2026-01-01" })).toEqual([
    "description",
    "priority",
    "dueAt",
    "startsAt",
  ]);
});

test("holds no value, and stays short", () => {
  const digest = fieldsDigest(first);
  expect(digest).toMatch(/^title:[0-9a-f]{4},description:[0-9a-f]{4},priority:[0-9a-f]{4},dueAt:[0-9a-f]{4}$/);
  expect(fieldsDigest({ ...first })).toBe(digest);
});
