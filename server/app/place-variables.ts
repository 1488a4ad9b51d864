import { readFileSync } from "node:fs";
import { keyPath } from "../core/open-sealing.ts";
import { DatabaseUnusable } from "../store/postgres/database-unusable.ts";

/**
 * Variables of the environment that say where an installation of several processes keeps what it stores. They are no
 * options: an address may have a password in it, and other users read options in the list of processes.
 */
export const placeVariables = [
  "INTAKE_DATABASE_URL",
  "INTAKE_DATABASE_URL_FILE",
  "INTAKE_FILES",
  "INTAKE_SECRET_KEY_FILE",
] as const;

type Environment = Record<string, string | undefined>;

/** The address of the PostgreSQL database that the environment names; undefined when all is kept in a folder. */
export function databaseUrl(environment: Environment = process.env): string | undefined {
  const text = environment["INTAKE_DATABASE_URL"] || undefined;
  const file = environment["INTAKE_DATABASE_URL_FILE"] || undefined;
  if (file === undefined) return text;
  if (text !== undefined)
    throw new DatabaseUnusable("give one of INTAKE_DATABASE_URL and INTAKE_DATABASE_URL_FILE, not both");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new DatabaseUnusable(`INTAKE_DATABASE_URL_FILE cannot be read (${(error as { code?: string }).code})`);
  }
}

/** Whether the environment names a database, be it one that can be used or not. */
export function usesDatabase(environment: Environment = process.env): boolean {
  return Boolean(environment["INTAKE_DATABASE_URL"] || environment["INTAKE_DATABASE_URL_FILE"]);
}

/** The file with the sealing key. Every process needs the same one, so it may be kept apart from the process's folder. */
export function secretKeyFile(folder: string, environment: Environment = process.env): string {
  const named = databaseUrl(environment) === undefined ? undefined : environment["INTAKE_SECRET_KEY_FILE"];
  return named || keyPath(folder);
}
