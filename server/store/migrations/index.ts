import core from "./0001-core.sql" with { type: "text" };
import ingest from "./0002-ingest.sql" with { type: "text" };
import fanout from "./0003-fanout.sql" with { type: "text" };

/** One step of the schema. Released ones never change: their checksum is kept in every database. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { number: 1, name: "core", sql: core },
  { number: 2, name: "ingest", sql: ingest },
  { number: 3, name: "fanout", sql: fanout },
];
