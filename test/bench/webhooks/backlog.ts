import { Database } from "bun:sqlite";
import type { Installation } from "../intake.ts";
import { names } from "../names.ts";
import { progress } from "../progress.ts";
import { removeFolder } from "../scratch.ts";
import { measureBare, type Posts } from "./bare-loop.ts";
import { type Claims, measureClaims } from "./claims.ts";
import { type Drain, measureDrain } from "./drain.ts";
import { countWaiting, fillDeliveries } from "./fill.ts";
import { type Idle, measureIdle } from "./idle.ts";
import { healthy, Receivers } from "./receiving.ts";
import { sendPaced } from "./send-paced.ts";
import { addSubscriber, changeSubscriber, startWebhooksServer, webhooksInstallation } from "./servers.ts";

const fewRows = 1_000;
const patienceSeconds = 30;

export interface Backlog {
  /** Deliveries that waited when the server was started on them. */
  waiting: number;
  claims: [few: Claims, many: Claims];
  paused: Idle;
  drain: Drain;
  /** The limit to measure the drain against. */
  bare: Posts;
}

/**
 * Half of the deliveries wait for one that nobody can reach, the others for five that are paused and then resumed
 * together, while reports go on coming to them and to one that has no backlog.
 */
export async function measureBacklog(
  binary: string,
  { rows, seconds }: { rows: number; seconds: number },
): Promise<Backlog> {
  const receivers = await Receivers.start();
  const installation = await webhooksInstallation(binary);
  const five: string[] = [];
  for (const path of healthy) five.push(await addSubscriber(binary, installation, await receivers.addressOf(path)));
  await addSubscriber(binary, installation, await receivers.addressOf("live"));
  await storeOne(installation, receivers);
  // Nobody listens on port 1.
  const unreachable = await addSubscriber(binary, installation, "http://127.0.0.1:1/");
  const { database } = installation;
  fillDeliveries(database, fewRows, [unreachable, ...five]);
  const few = await claimsOf(database);
  fillDeliveries(database, rows, [unreachable, ...five]);
  const many = await claimsOf(database);

  for (const id of five) await changeSubscriber(binary, installation, "pause", id);
  const server = await startWebhooksServer(names.intake, installation);
  const paused = await measureIdle(`${many.waiting} waiting, five paused and one unreachable`, server.pid);
  for (const id of five) await changeSubscriber(binary, installation, "resume", id);
  const drain = await measureDrain(server, receivers, seconds / 3);
  await server.stop();
  const bare = await measureBare(receivers, seconds / 3);
  await receivers.stop();
  removeFolder(installation.folder);
  return { waiting: many.waiting, claims: [few, many], paused, drain, bare };
}

/** The pattern that the tables are filled with. */
async function storeOne(installation: Installation, receivers: Receivers) {
  const server = await startWebhooksServer(names.intake, installation);
  await sendPaced(server, { perSecond: 1, seconds: 1 });
  if (!(await receivers.when([...healthy, "live"], healthy.length + 1, patienceSeconds))) {
    throw new Error("a delivery never arrived");
  }
  await server.stop();
}

function claimsOf(database: string): Promise<Claims> {
  const db = new Database(database, { readwrite: true });
  const waiting = countWaiting(db);
  db.close();
  progress(`claiming with ${waiting} waiting`);
  return measureClaims(database, waiting);
}
