import { createInterface } from "node:readline";
import { openSealing } from "../../server/core/open-sealing.ts";
import { openStore } from "../support/open-store.ts";

/** Opens the sealing of a data directory at each moment that comes on stdin, to the millisecond, and says whose it is. */
const folder = process.argv[2] ?? "";
const store = await openStore(folder);
process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  while (Date.now() < Number(line));
  process.stdout.write(`${(await openSealing(folder, store)).fingerprint}\n`);
}
await store.close();
