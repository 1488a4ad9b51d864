import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { memberFields } from "../accounts/member-fields.ts";
import { boardFields } from "../boards/board-fields.ts";
import { columnFields } from "../boards/column-fields.ts";
import { projectFields } from "../boards/project-fields.ts";
import { repositoryFields } from "../boards/repository-fields.ts";
import { type Field, type Fields, fieldEntries } from "../core/fields.ts";
import { keyFields } from "../credentials/key-fields.ts";
import { tokenFields } from "../credentials/token-fields.ts";
import { subscriberFields } from "../webhooks/subscribers/subscriber-fields.ts";
import { InvalidInput } from "./answer.ts";
import { changeBody, newBody } from "./field-bodies.ts";
import { checkInternal } from "./internal-check.ts";

const tables: [string, Fields][] = Object.entries({
  memberFields,
  boardFields,
  columnFields,
  projectFields,
  repositoryFields,
  keyFields,
  tokenFields,
  subscriberFields,
});

const id = "0198c0de-0000-7000-8000-000000000001";

/** A value of each kind that a body takes. */
function valid(field: Field): unknown {
  switch (field.kind) {
    case "id":
      return id;
    case "whole":
    case "bound":
      return field.min;
    case "choice":
      return field.of[0];
    case "choices":
      return field.of.map(({ value }) => value);
    case "texts":
      return field.of ?? Array.from({ length: field.max }, () => "x");
    case "projects":
      return [id];
    default:
      return "x";
  }
}

const bodyWith = (entries: [string, Field][]) =>
  Object.fromEntries(entries.map(([name, field]) => [name, valid(field)]));

/** The faults of a body, as `path code`. */
function faults(schema: TSchema, body: unknown): string[] {
  try {
    checkInternal(schema, body);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return ((error.members?.["details"] ?? []) as { path: string; code: string }[]).map(
      ({ path, code }) => `${path} ${code}`,
    );
  }
  return [];
}

describe.each(tables)("%s", (_, fields) => {
  const [all, changed] = [newBody(fields), changeBody(fields)];
  const entries = fieldEntries(fields);
  const settable = entries.filter(([, { fixed }]) => !fixed);

  test("a new one has every required field, and may have all", () => {
    expect(faults(all, bodyWith(entries))).toEqual([]);
    const required = entries.filter(([, field]) => field.required);
    expect(faults(all, bodyWith(required))).toEqual([]);
    expect(faults(all, {})).toEqual(required.map(([name]) => `/${name} required`));
  });

  test("a change may have any field but the fixed ones, or none at all", () => {
    expect(faults(changed, {})).toEqual([]);
    expect(faults(changed, bodyWith(settable))).toEqual([]);
    for (const [name, field] of entries.filter(([, { fixed }]) => fixed)) {
      expect(faults(changed, { [name]: valid(field) })).toEqual([`/${name} unknown_field`]);
    }
  });

  test("nothing but the fields is taken: no column, no state, nothing of an object's prototype", () => {
    const columns = entries.map(([, { column }]) => column).filter((column) => !Object.hasOwn(fields, column));
    const foreign = ["id", "key", "hash", "state", "createdAt", "revoked_at", "deletedAt", "password_hash", ...columns];
    for (const name of [...foreign, "constructor", "toString", "__proto__"]) {
      const more = JSON.parse(`{${JSON.stringify(name)}: "x"}`);
      const body = Object.defineProperties({ ...bodyWith(entries) }, Object.getOwnPropertyDescriptors(more));
      expect(faults(all, body)).toEqual([`/${name} unknown_field`]);
      expect(faults(changed, more)).toEqual([`/${name} unknown_field`]);
    }
    for (const body of [null, [], "x", 1]) expect(faults(changed, body)).toEqual([" wrong_type"]);
  });

  test("null is for fields that may be without a value only", () => {
    const nullable = entries.filter(([, { kind, required }]) => kind === "bound" || (kind === "text" && !required));
    const names = new Set(nullable.map(([name]) => name));
    for (const [name] of entries) {
      expect(faults(all, { ...bodyWith(entries), [name]: null }).length).toBe(names.has(name) ? 0 : 1);
    }
    for (const [name] of settable) expect(faults(changed, { [name]: null }).length).toBe(names.has(name) ? 0 : 1);
  });

  test("a list has at most as many entries as its field declares", () => {
    for (const [name, field] of settable) {
      const most = valid(field);
      if (field.kind === "projects" || !Array.isArray(most)) continue;
      expect(faults(changed, { [name]: [...most, most[0]] })).toEqual([`/${name} too_long`]);
    }
  });
});

test("the longest lists are those that the documentation names", () => {
  const most = (schema: TSchema, name: string) => schema["properties"][name].maxItems;
  expect(most(newBody(keyFields), "origins")).toBe(limits.originsMax);
  expect(most(newBody(subscriberFields), "reportTypes")).toBe(limits.reportTypesMax);
  expect(most(newBody(subscriberFields), "types")).toBe(subscriberFields.types.of.length);
});
