import { Database } from "bun:sqlite";
import { version } from "../../package.json";
import { usesDatabase } from "../app/place-variables.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";

export const versionCommand = command({
  name: "version",
  summary: "print the versions of the binary, its runtime and its parts",
  example: "intake version --json",
  async run({ io }) {
    io.result(
      {
        version,
        // Set when a release is built.
        ...(process.env.INTAKE_COMMIT ? { commit: process.env.INTAKE_COMMIT } : {}),
        bun: Bun.version,
        sqlite: sqliteVersion(),
        schema: await newestSchema(),
        platform: `${process.platform}-${process.arch}`,
      },
      `intake ${version}`,
    );
  },
});

/** Number of the newest step that this binary knows, of the engine that this environment names. */
async function newestSchema(): Promise<number> {
  const known = usesDatabase()
    ? (await import("../store/postgres/migrations/index.ts")).postgresMigrations
    : migrations;
  return known.at(-1)?.number ?? 0;
}

export function sqliteVersion(): string {
  const db = new Database(":memory:");
  const [row] = db.query<{ version: string }, []>("select sqlite_version() as version").all();
  db.close();
  return row?.version ?? "unknown";
}
