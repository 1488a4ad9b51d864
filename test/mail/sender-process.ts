import { idMaker } from "../../server/core/ids.ts";
import { newMailSender } from "../support/mails.ts";
import { openStore } from "../support/open-store.ts";

/** Sends the mails of a data directory until it is killed or stdin ends. */
const folder = process.argv[2] ?? "";
const store = await openStore(folder);
const now = () => Date.now();
const sender = await newMailSender({ folder, ctx: { store, now, newId: idMaker(now) } });
await sender.start();
process.stdout.write("ready\n");
for await (const _ of process.stdin);
await sender.stop();
await store.close();
process.exit(0);
