import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { cpus, release, tmpdir, totalmem, type } from "node:os";
import { output } from "./output.ts";

export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  kernel: string;
  /** Of the folder that holds the databases. */
  filesystem: string;
  bun: string;
  node: string;
  sqlite: string;
}

export async function describeMachine(): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() || "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
    filesystem: filesystemOf(tmpdir()),
    bun: Bun.version,
    node: await output(["node", "--version"]).then(
      (version) => version.replace(/^v/, ""),
      () => "none",
    ),
    sqlite: sqliteVersion(),
  };
}

function filesystemOf(folder: string): string {
  const mounts = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, at = ""]) => at === "/" || folder === at || folder.startsWith(`${at}/`));
  // The longest mount point holds the folder; of equal ones the last mounted.
  const [, , kind = "unknown"] = mounts.reduce(
    (best, one) => ((one[1] ?? "").length >= (best[1] ?? "").length ? one : best),
    [],
  );
  return kind;
}

function sqliteVersion(): string {
  const db = new Database(":memory:");
  const [row] = db.query<{ version: string }, []>("select sqlite_version() as version").all();
  db.close();
  return row?.version ?? "unknown";
}
