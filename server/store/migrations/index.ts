import core from "./0001-core.sql" with { type: "text" };
import ingest from "./0002-ingest.sql" with { type: "text" };
import fanout from "./0003-fanout.sql" with { type: "text" };
import people from "./0004-people.sql" with { type: "text" };
import boards from "./0005-boards.sql" with { type: "text" };
import reports from "./0006-reports.sql" with { type: "text" };
import settings from "./0007-settings.sql" with { type: "text" };
import runs from "./0008-runs.sql" with { type: "text" };

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
  { number: 4, name: "people", sql: people },
  { number: 5, name: "boards", sql: boards },
  { number: 6, name: "reports", sql: reports },
  { number: 7, name: "settings", sql: settings },
  { number: 8, name: "runs", sql: runs },
];
