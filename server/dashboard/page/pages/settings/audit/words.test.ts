import { expect, test } from "bun:test";
import { actWords, changeOf, objectOf } from "./words.ts";

test("acts are told in words, those that nobody thought of too", () => {
  expect(["session.create", "token.revoke", "column.rename", "run.cancel", "widget.twist_hard"].map(actWords)).toEqual([
    "signed in",
    "revoked an API token",
    "renamed a column",
    "cancelled an agent run",
    "twist hard widget",
  ]);
});

test("a change names what differs, before and after", () => {
  expect(changeOf({ from: { role: "member" }, to: { role: "admin" } })).toBe("role: member → admin");
  expect(changeOf({ to: { name: "T", reach: ["a"], limit: null } })).toBe('name: T, reach: ["a"], limit: none');
  expect(changeOf({ from: { title: "Gone" } })).toBe("title: Gone");
  expect(changeOf({ from: 90, to: 30 })).toBe("90 → 30");
  expect(changeOf({})).toBe("");
});

test("an object has its name of today, or the end of its id", () => {
  const object = "token 0198c0de-0000-7000-8000-0000000000aa";
  expect(objectOf({ object, objectName: "CI" })).toBe("CI");
  expect(objectOf({ object, objectName: null })).toBe("token 0000aa");
  expect(objectOf({ object: "an unknown e-mail address", objectName: null })).toBe("an unknown e-mail address");
});
