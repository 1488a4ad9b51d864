import { expect, test } from "bun:test";
import { checkFields } from "./check-fields.ts";
import { columnsOf, type Fields, formFields, type SomeFields, shownFields, withDefaults } from "./fields.ts";
import { type Statement, type Step, statements, type Tx } from "./store.ts";
import { insertStep, updateStep } from "./write-row.ts";

const fields = {
  place: { kind: "id", column: "place_id", required: true, fixed: true, label: "Place" },
  name: { kind: "name", column: "name", required: true, label: "Name" },
  address: { kind: "text", column: "url", max: 5, required: true, label: "Address" },
  note: { kind: "text", column: "note", max: 5, label: "Note" },
  bound: { kind: "bound", column: "card_limit", min: 1, max: 9 },
  kinds: {
    kind: "choices",
    column: "kinds",
    of: [
      { value: "b", about: "" },
      { value: "a", about: "" },
    ],
    default: ["b"],
  },
  origins: { kind: "texts", column: "origins", max: 2, default: [] },
  reach: { kind: "projects", column: "reaches_all", default: "all" },
} as const satisfies Fields;

const id = "0198C0DE-0000-7000-8000-000000000001" as string;

const tx = statements as Tx;

/** The only statement of a step; undefined when there is none. */
function statementOf(step: Step<void>): Statement | undefined {
  return (step.next().value as Statement | undefined) ?? undefined;
}

test("what is stored is shown again as it was given, and what was not given by its default", () => {
  const values = withDefaults(fields, { place: "p", name: "N", address: "x", kinds: ["b", "a"], origins: ["o"] });
  const columns = columnsOf(fields, values);
  expect(columns).toEqual({
    place_id: "p",
    name: "N",
    url: "x",
    note: null,
    card_limit: null,
    kinds: "a b",
    origins: '["o"]',
    reaches_all: 1,
  });
  expect(shownFields(fields, columns as never)).toEqual({ ...values, kinds: ["a", "b"] });
  expect(columnsOf(fields, { origins: [], reach: ["p"] })).toEqual({ origins: null, reaches_all: 0 });
});

test("only what was given is checked: names and texts by their length, ids and lists of ids in lower case and once", () => {
  const rules = { origins: (origins: readonly string[]) => origins.map((origin) => `${origin}/`) };
  const given: SomeFields<typeof fields> = { place: id, note: "", origins: ["o"], reach: [id, id.toLowerCase()] };
  expect(checkFields(fields, given, rules)).toEqual({
    place: id.toLowerCase(),
    note: null,
    origins: ["o/"],
    reach: [id.toLowerCase()],
  });
  const noAddress = { address: null } as unknown as SomeFields<typeof fields>;
  const refused: [SomeFields<typeof fields>, string][] = [
    [{ name: " " }, "a name must not be blank"],
    [{ note: "123456" }, "note must have at most 5 characters"],
    [{ note: "a\0" }, "text must not contain U+0000"],
    [{ address: "" }, "address must not be empty"],
    // A body's schema may take null, where one schema serves several subjects.
    [noAddress, "address must not be empty"],
    [{ origins: ["a", "b", "c"] }, "origins must be a list of at most 2 texts"],
  ];
  for (const [wrong, told] of refused) {
    expect(() => checkFields(fields, wrong)).toThrow(told);
  }
});

test("a form has the fields with a label, one of a change without those that are set once", () => {
  expect(formFields(fields, "new").map(([name]) => name)).toEqual(["place", "name", "address", "note"]);
  expect(formFields(fields, "change").map(([name]) => name)).toEqual(["name", "address", "note"]);
});

test("a row is written column by column, and not at all without one", () => {
  expect(statementOf(insertStep(tx, "board", { id: "1", name: "B" }))).toEqual({
    sql: "insert into board (id, name) values ($1, $2)",
    params: ["1", "B"],
    rowless: true,
  });
  expect(statementOf(updateStep(tx, "board", "1", { name: "B", note: null }))).toEqual({
    sql: "update board set name = $2, note = $3 where id = $1",
    params: ["1", "B", null],
    rowless: true,
  });
  expect(statementOf(updateStep(tx, "board", "1", {}))).toBeUndefined();
});
