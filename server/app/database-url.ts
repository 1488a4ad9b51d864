import { readFileSync } from "node:fs";
import { DatabaseUrlInvalid } from "../store/postgres/database-url-invalid.ts";

/** Variables of the environment that name the database. It is no option: other users read those in the list of processes. */
export const databaseVariables = ["INTAKE_DATABASE_URL", "INTAKE_DATABASE_URL_FILE"] as const;

/** The address of the PostgreSQL database that the environment names; undefined when all is kept in a folder. */
export function databaseUrl(environment: Record<string, string | undefined> = process.env): string | undefined {
  const [text, file] = databaseVariables.map((name) => environment[name] || undefined);
  if (file === undefined) return text;
  if (text !== undefined) throw new DatabaseUrlInvalid(`give one of ${databaseVariables.join(" and ")}, not both`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new DatabaseUrlInvalid(`INTAKE_DATABASE_URL_FILE cannot be read (${(error as { code?: string }).code})`);
  }
}
