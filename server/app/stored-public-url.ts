import { selectPublicUrl } from "../core/settings.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";

/** The setting `public_url`, read before a server runs; undefined without a database. */
export function storedPublicUrl(folder: string): string | undefined {
  try {
    const db = openDatabase(databasePath(folder), { readonly: true });
    const [row] = db.query<{ value: string }, []>(selectPublicUrl).all();
    db.close();
    return row?.value;
  } catch {
    return undefined;
  }
}
