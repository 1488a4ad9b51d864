import { selectPublicUrl } from "../core/settings.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";

/** The setting `public_url`, read before a server runs; undefined without a database. */
export async function storedPublicUrl(folder: string, databaseUrl: string | undefined): Promise<string | undefined> {
  try {
    return databaseUrl === undefined ? readOnDisk(folder) : await readOnDatabase(databaseUrl);
  } catch {
    return undefined;
  }
}

function readOnDisk(folder: string): string | undefined {
  const db = openDatabase(databasePath(folder), { readonly: true });
  const [row] = db.query<{ value: string }, []>(selectPublicUrl).all();
  db.close();
  return row?.value;
}

async function readOnDatabase(databaseUrl: string): Promise<string | undefined> {
  // Loaded where there is a database only: a server on disk starts sooner and is smaller without it.
  const { withConnection } = await import("./on-database.ts");
  const [row] = await withConnection(databaseUrl, (connection) => connection.run<{ value: string }>(selectPublicUrl));
  return row?.value;
}
