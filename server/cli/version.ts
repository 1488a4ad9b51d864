import { Database } from "bun:sqlite";
import { version } from "../../package.json";
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
        bun: Bun.version,
        sqlite: sqliteVersion(),
        schema: migrations.at(-1)?.number ?? 0,
        platform: `${process.platform}-${process.arch}`,
      },
      `intake ${version}`,
    );
  },
});

export function sqliteVersion(): string {
  const db = new Database(":memory:");
  const [row] = db.query<{ version: string }, []>("select sqlite_version() as version").all();
  db.close();
  return row?.version ?? "unknown";
}
