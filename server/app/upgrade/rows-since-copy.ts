import type { Database } from "bun:sqlite";

/** What differs between the database and a copy of it; null where a table is unlike the one that this binary knows. */
export interface SinceCopy {
  /** Stored since the copy was made: out of sight after going back. */
  lost: { tickets: number | null; reports: number | null };
  /** Deleted for good since the copy was made: there again after going back. */
  returning: { tickets: number | null; reports: number | null };
}

/** Compares the rows of the database with those of the copy. */
export function rowsSinceCopy(db: Database, copy: string): SinceCopy {
  db.run("attach database ?1 as copy", [copy]);
  try {
    const only = (table: string, [here, there]: readonly ["main", "copy"] | readonly ["copy", "main"]) => {
      const has = (schema: string) =>
        db.query(`select 1 from ${schema}.sqlite_schema where type = 'table' and name = ?1`).all(table).length > 0;
      if (!has(here)) return 0;
      const missing = has(there) ? ` where not exists (select 1 from ${there}.${table} o where o.id = t.id)` : "";
      try {
        const [row] = db.query<{ n: number }, []>(`select count(*) as n from ${here}.${table} t${missing}`).all();
        return row?.n ?? null;
      } catch (error) {
        if ((error as { code?: string }).code === "SQLITE_ERROR") return null;
        throw error;
      }
    };
    const both = (from: readonly ["main", "copy"] | readonly ["copy", "main"]) => ({
      tickets: only("ticket", from),
      reports: only("event", from),
    });
    return { lost: both(["main", "copy"]), returning: both(["copy", "main"]) };
  } finally {
    db.run("detach database copy");
  }
}
