import { expect, test } from "bun:test";
import { withDefaults } from "../../../core/fields.ts";
import { keyFields } from "../../../credentials/key-fields.ts";
import { tokenFields } from "../../../credentials/token-fields.ts";
import { subscriberFields } from "../../../webhooks/subscribers/subscriber-fields.ts";
import { bodyOf, changesOf, draftOf, isReady, lengthOf, newDraft } from "./field-draft.ts";

const draft = { ...newDraft(tokenFields, { reach: { all: false, chosen: ["a"] } }), name: "CI" };

test("a draft is ready with a name of 1 to 80 code points and a limit that the server takes", () => {
  const ready = (part: Partial<typeof draft>) => isReady(tokenFields, "new", { ...draft, ...part });
  expect(ready({})).toBe(true);
  expect(ready({ name: " " })).toBe(false);
  expect(ready({ name: "🎫".repeat(80) })).toBe(true);
  expect(ready({ name: "🎫".repeat(81) })).toBe(false);
  for (const limit of ["0", "", "1.5", "x", "1000001"]) expect(ready({ limit })).toBe(false);
  expect(lengthOf("🎫é")).toBe(2);
});

test("a reach that was chosen is kept beside all projects, and not sent", () => {
  const body = { name: "CI", reach: ["a"], scopes: ["tickets:write"], limit: 60 };
  expect(bodyOf(tokenFields, "new", draft)).toEqual(body as never);
  const all = { ...draft, reach: { all: true, chosen: ["a"] } };
  expect(bodyOf(tokenFields, "change", all)).toEqual({ ...body, reach: "all" } as never);
});

const changes = (before: typeof draft, after: typeof draft) =>
  changesOf(tokenFields, before, after, (ids) => `projects ${ids.join(" and ")}`);

test("only what is another is told, and the order of a list is not", () => {
  const ordered = { ...draft, scopes: ["tickets:write", "runs:execute"] };
  expect(changes(draft, { ...draft })).toEqual([]);
  expect(changes(ordered, { ...ordered, scopes: ordered.scopes.toReversed() })).toEqual([]);
  expect(changes(draft, { ...draft, reach: { all: false, chosen: ["a", "b"] } })).toEqual([
    { what: "Reach", from: "projects a", to: "projects a and b" },
  ]);
  expect(changes(draft, { ...draft, name: "CD", scopes: [], limit: "7" })).toEqual([
    { what: "Name", from: "CI", to: "CD" },
    { what: "Scopes", from: "tickets:write", to: "none" },
    { what: "Limit", from: "60 per minute", to: "7 per minute" },
  ]);
});

test("what is set once is not sent with a change, and what no form has is not sent at all", () => {
  const key = draftOf(keyFields, { name: "App", projectId: "p", limit: 5, origins: ["https://a.example.org"] });
  const origins = "https://a.example.org\n\n https://b.example.org ";
  expect(bodyOf(keyFields, "change", { ...key, name: "Web", origins })).toEqual({
    name: "Web",
    origins: ["https://a.example.org", "https://b.example.org"],
  });
  expect(isReady(keyFields, "change", { ...key, projectId: "" })).toBe(true);
  expect(isReady(keyFields, "new", { ...key, projectId: "" })).toBe(false);
});

test("an address is given without blanks around it, and some of a list without the others", () => {
  const url = "https://hooks.example.org/intake";
  const subscriber = newDraft(subscriberFields);
  expect(subscriber).toMatchObject({ url: "", name: "", types: ["report.received"], reportTypes: "" });
  const ready = (part: Partial<typeof subscriber>) => isReady(subscriberFields, "new", { ...subscriber, ...part });
  expect(ready({})).toBe(false);
  expect(ready({ url: " " })).toBe(false);
  expect(ready({ url, types: [] })).toBe(false);
  expect(ready({ url })).toBe(true);
  expect(bodyOf(subscriberFields, "new", { ...subscriber, url: ` ${url} `, reportTypes: " a\n\n b c " })).toMatchObject(
    {
      ...{ url, name: null, types: ["report.received"], reportTypes: ["a", "b c"] },
    } as never,
  );
});

test("a form that nobody has touched leaves its subject as it is", () => {
  const given = { types: ["agent_run.updated" as const], reportTypes: ["crash", "hang"] };
  const subscriber = withDefaults(subscriberFields, { url: "https://hooks.example.org/", ...given });
  const begun = draftOf(subscriberFields, subscriber);
  expect(begun.reportTypes).toBe("crash\nhang");
  expect(bodyOf(subscriberFields, "change", begun)).toEqual(subscriber);
});
