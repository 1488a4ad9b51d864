import { migrations } from "../../store/migrations/index.ts";
import { escapeInvisible } from "../../text/escape-invisible.ts";
import { requireDatabase } from "../data-folder.ts";
import { databaseUrl } from "../place-variables.ts";
import { examine } from "./examine-folder.ts";
import type { Finding } from "./finding.ts";

/** Examines the installation that a data directory and the environment name. */
export async function examinePlace(folder: string, sqlite: string): Promise<Finding[]> {
  const database = databaseUrl();
  if (database !== undefined) {
    // Loaded where there is a database only.
    const { examineOnDatabase } = await import("./examine-on-database.ts");
    return examineOnDatabase(database, folder);
  }
  requireDatabase(folder);
  return examine(folder, sqlite, migrations);
}

const marks = { ok: "ok  ", warning: "warn", error: "FAIL" } as const;

/** What others chose, such as names in a certificate, does not steer a terminal. */
const control = /\p{Cc}/gu;

/** `FAIL  permissions: others can look … [folder_mode]`. */
export function lineOf({ severity, check, code, text }: Finding): string {
  const plain = escapeInvisible(text.replace(control, " "));
  return `${marks[severity]}  ${check}: ${plain}${code === "ok" ? "" : ` [${code}]`}`;
}
