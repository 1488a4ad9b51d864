import { brokenReferences } from "./broken-references.ts";
import { schemaOf } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";
import type { UpgradeCopy } from "./upgrade-copies.ts";

/** Reads all of a copy; returns what is wrong with it, or undefined when it can take the place of the database. */
export function faultOfCopy({ path, from }: UpgradeCopy): string | undefined {
  try {
    const db = openDatabase(path, { readonly: true });
    try {
      const [answer] = db.query<{ integrity_check: string }, []>("pragma integrity_check(1)").all();
      if (answer?.integrity_check !== "ok") return "it is damaged";
      const broken = brokenReferences(db);
      if (broken) return `it has broken references: ${broken.words}`;
      const schema = schemaOf(db);
      return schema === from ? undefined : `it has schema ${schema}, and its name says ${from}`;
    } finally {
      db.close();
    }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `it cannot be read (${code ?? message})`;
  }
}
