import { afterAll, beforeAll, expect, test } from "bun:test";
import { compareEnds } from "../../../server/app/move/compare-ends.ts";
import { copyTable } from "../../../server/app/move/copy-table.ts";
import { decoders, encoders } from "../../../server/app/move/copy-text.ts";
import { type ColumnType, tablesOfSchema } from "../../../server/app/move/moved-tables.ts";
import { RowDigest } from "../../../server/app/move/row-digest.ts";
import type { Value } from "../../../server/core/store.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { Lane } from "../../../server/store/postgres/lane.ts";
import type { ScratchDatabase } from "../../support/postgres.ts";
import { databaseWithSchema } from "../../support/postgres-schema.ts";
import { permitted } from "./permitted-differences.ts";

let database: ScratchDatabase;
let lane: Lane;

beforeAll(async () => {
  database = await databaseWithSchema();
  lane = await Lane.open(readDatabaseUrl(database.url));
}, 180_000);

afterAll(async () => {
  lane.close();
  await database.drop();
});

const reals = [
  ...[
    0,
    -0,
    1,
    -1.5,
    0.1,
    1 / 3,
    1760000000000.125,
    123456789012345,
    999999999999999.9,
    1e15,
    1.5e15,
    2 ** 53,
    -(2 ** 60),
  ],
  ...[1e21, 1.7976931348623157e308, 1e-4, 0.00012345, 9.999e-5, 1e-5, 5e-324, -2.5e-10, null],
];
const values: Record<ColumnType, Value[]> = {
  text: [
    "",
    "plain",
    "\\N",
    "\\.",
    "a\tb\nc\rd\\e\bf\vg\fh",
    "😀 é \u202e",
    "\u0001\u001f\u007f",
    "\\x41",
    "\\\\t",
    null,
  ],
  integer: [0, -1, 2 ** 31, 2 ** 53 - 1, null],
  real: reals,
  blob: [new Uint8Array(), new Uint8Array([0, 9, 10, 92, 255]), null],
};
const typeNames = { text: "text", integer: "bigint", real: "double precision", blob: "bytea" } as const;

test.each(Object.keys(values) as ColumnType[])(
  "a value of the type %s is written as PostgreSQL writes it",
  async (type) => {
    const [wanted, given] = [[] as string[], values[type]];
    for (const value of given) {
      const row = `copy (select cast(v as ${typeNames[type]}) from moved) to stdout`;
      await lane.query(`create temp table moved (v ${typeNames[type]})`);
      const writer = lane.copyIn("copy moved from stdin");
      await writer.write(Buffer.from(`${encoders[type](value)}\n`));
      await writer.close();
      wanted.push(await new Response(lane.copyOut(row)).text());
      await lane.query("drop table moved");
    }
    expect(given.map((value) => `${encoders[type](value)}\n`)).toEqual(wanted);
    const read = wanted.map((line) => decoders[type](line.slice(0, -1)));
    expect(read.map((value) => (value instanceof Uint8Array ? [...value] : value))).toEqual(
      given.map((value) => (value instanceof Uint8Array ? [...value] : value)),
    );
  },
);

test("a text with U+0000, which PostgreSQL does not store, is refused with the reason", () => {
  expect(() => encoders.text("a\0b")).toThrow("U+0000");
});

test("every table is moved, but those of servers that work together and of search, and none is moved before one that it refers to", async () => {
  const { rows } = await lane.query(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  const moved = tablesOfSchema().map(({ name }) => name);
  const left = rows.map(({ name }) => String(name)).filter((name) => !moved.includes(name));
  const madeAgain = ["card_text", "report_indexed", "report_number"];
  expect(left.sort()).toEqual(["migration", ...madeAgain, ...Object.keys(permitted.onlyPostgres)].sort());
  const references = await lane.query(
    `select cast(cast(conrelid as regclass) as text) as child, cast(cast(confrelid as regclass) as text) as parent
     from pg_constraint where contype = 'f'`,
  );
  for (const { child, parent } of references.rows) {
    if (left.includes(String(child)) || child === parent) continue;
    expect([child, moved.indexOf(String(child)) > moved.indexOf(String(parent))]).toEqual([child, true]);
  }
});

test("what an earlier run has moved is read again for the digest, and not written again", async () => {
  const lines = Array.from({ length: 10 }, (_, i) => `row ${i}\n`);
  const source = {
    async *read() {
      for (const part of [lines.slice(0, 4), lines.slice(4, 7), lines.slice(7)]) yield Buffer.from(part.join(""));
    },
  };
  const all = new RowDigest();
  all.add(Buffer.from(lines.toReversed().join("")));
  for (let before = 0; before <= lines.length; before++) {
    let written = "";
    let committed = before;
    const target = {
      async write(_: unknown, bytes: Uint8Array) {
        written += Buffer.from(bytes).toString();
      },
      async commit(_: unknown, rows: number) {
        committed = rows;
      },
    };
    const table = { name: "t", columns: [], order: "rowid" };
    expect(await copyTable(source as never, target, table, { before })).toEqual({ rows: 10, digest: all.hex });
    expect([written, committed]).toEqual([lines.slice(before).join(""), 10]);
  }
});

test("a difference between the ends is found: a row too few, other bytes, another answer to a key", async () => {
  const table = { name: "t", columns: [], order: "rowid" };
  const key = { ticketId: "1", answer: "{}", bodyDigest: "d", fields: null };
  const end = (lines: string, answer = "{}", count = 2) => ({
    count: async () => count,
    async *read() {
      yield Buffer.from(lines);
    },
    someKeys: async () => [new Uint8Array(16)],
    findKeys: async () => [{ ...key, answer }],
  });
  const all = new RowDigest();
  all.add(Buffer.from("one\ntwo\n"));
  const read = {
    tables: [table],
    copied: new Map([["t", { rows: 2, digest: all.hex }]]),
    out: { note() {}, progress() {} },
  };
  const compare = (source: object, target: object) => compareEnds(source as never, target as never, read);
  expect(await compare(end("one\ntwo\n"), end("two\none\n"))).toBe(1);
  await expect(compare(end("one\ntwo\n"), end("one\n"))).rejects.toThrow("t is not the same at both ends");
  await expect(compare(end("one\ntwo\n"), end("one\ntwO\n"))).rejects.toThrow("t is not the same at both ends");
  await expect(compare(end("", "{}", 3), end("one\ntwo\n"))).rejects.toThrow("3 rows at the source, 2 were read");
  await expect(compare(end("one\ntwo\n"), end("one\ntwo\n", "{ }"))).rejects.toThrow("a key has another answer");
});
