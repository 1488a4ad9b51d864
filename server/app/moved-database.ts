import { DatabaseUnusable } from "../store/postgres/database-unusable.ts";
import type { MigrationConnection } from "../store/postgres/migrate.ts";
import { type MoveMark, reasonOfMark } from "./move-mark.ts";

/** Throws when everything in the database was moved elsewhere, or a move from or to it has not ended. */
export async function requireDatabaseNotMoved(db: MigrationConnection) {
  const mark = await readDatabaseMark(db);
  if (mark) throw movedDatabase(mark);
}

export function movedDatabase(mark: MoveMark): DatabaseUnusable {
  const giveUp =
    mark.role === "source" ? "drop the table moving_mark" : "drop the database, and delete the objects in the bucket";
  return new DatabaseUnusable(reasonOfMark("the database", mark, giveUp));
}

export async function readDatabaseMark(db: MigrationConnection): Promise<MoveMark | undefined> {
  const [made] = await db.run("select 1 as made where to_regclass('moving_mark') is not null");
  if (!made) return undefined;
  const [mark] = await db.run<{ mark: string }>("select mark from moving_mark");
  return mark && (JSON.parse(mark.mark) as MoveMark);
}

/**
 * Leaves the mark of another move as it is. The table is no part of the schema: it is there from the begin of a move,
 * and at a source for good.
 */
export async function writeDatabaseMark(db: MigrationConnection, mark: MoveMark) {
  await db.run(
    "create table if not exists moving_mark (only_one integer primary key, id text not null, mark text not null)",
  );
  await db.run(
    `insert into moving_mark (only_one, id, mark) values (1, $1, $2)
     on conflict (only_one) do update set mark = excluded.mark where moving_mark.id = excluded.id`,
    [mark.id, JSON.stringify(mark)],
  );
}
