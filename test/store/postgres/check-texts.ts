import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "../../../server/core/store.ts";
import { faultsOf } from "./portable-texts.ts";

/**
 * `bun test/store/postgres/check-texts.ts FOLDER`: prepares on both engines every text that processes with
 * INTAKE_SQL_TEXTS=FOLDER have run.
 */
const [folder = ""] = process.argv.slice(2);
const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
const texts = [...new Set(lines.filter(Boolean))].map((line) => JSON.parse(line) as Sql);
const faults = await faultsOf(texts);
process.stdout.write(`${[`${texts.length} texts, ${faults.length} faults`, ...faults].join("\n")}\n`);
process.exit(faults.length > 0 || texts.length === 0 ? 1 : 0);
