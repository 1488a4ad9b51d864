import type { Reader } from "../../core/store.ts";
import { withReader } from "../doctor/examine-folder.ts";
import { databaseUrl } from "../place-variables.ts";

/** Gives work what reads the installation that a data directory and the environment name. */
export async function withPlaceReader<T>(folder: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const database = databaseUrl();
  if (database === undefined) return withReader(folder, work);
  const { withDatabase } = await import("../on-database.ts");
  return withDatabase(database, work);
}
