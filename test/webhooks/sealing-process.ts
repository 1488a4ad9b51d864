import { createInterface } from "node:readline";
import { openSealing } from "../../server/core/open-sealing.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";

/** Opens the sealing of a data directory at each moment that comes on stdin, to the millisecond, and says whose it is. */
const folder = process.argv[2] ?? "";
const store = new SqliteStore(databasePath(folder), {
  busyMs: 5_000,
  onFatal: (error) => {
    throw error;
  },
});
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  while (Date.now() < Number(line));
  process.stdout.write(`${(await openSealing(folder, store)).fingerprint}\n`);
}
await store.close();
