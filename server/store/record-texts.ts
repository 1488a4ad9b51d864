import { appendFileSync } from "node:fs";
import type { Sql } from "../core/store.ts";

/** `build.ts` puts the word there; run from the sources nothing does. */
const release = process.env.INTAKE_BUILD === "release";

/** INTAKE_SQL_TEXTS names a folder for the texts that this process runs; for tests only. */
const folder = release ? undefined : process.env.INTAKE_SQL_TEXTS;

const recorded = new Set<string>();

/** Notes each text once, a line of JSON each, so that a check can prepare all of them on both engines. */
export const recordText = folder
  ? (sql: Sql) => {
      const line = `${JSON.stringify(sql)}\n`;
      if (!recorded.has(line)) appendFileSync(`${folder}/${process.pid}`, line);
      recorded.add(line);
    }
  : undefined;
