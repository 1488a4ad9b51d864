import type { BenchOptions } from "../options.ts";
import { prepareBinary } from "../prepare.ts";
import { removeFolder } from "../scratch.ts";
import { measureBacklog } from "./backlog.ts";
import { budgetsOf } from "./budgets.ts";
import { type Idle, measureIdle } from "./idle.ts";
import { measurePaced } from "./paced.ts";
import { healthy, Receivers } from "./receiving.ts";
import { present, type Results } from "./report.ts";
import { sendPaced } from "./send-paced.ts";
import { addSubscriber, startWebhooksServer, webhooksInstallation } from "./servers.ts";

export const webhookParts = ["paced", "idle", "backlog"] as const;

/** False when rows do not agree with answers, or a delivery never arrived. */
export async function benchWebhooks({ rounds, seconds, rows, json, parts, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, leftOut } = await prepareBinary();
  const wanted = (part: (typeof webhookParts)[number]) => parts.includes(part);
  const results: Results = {};
  if (wanted("paced")) results.paced = await measurePaced(binary, { rounds, seconds });
  if (wanted("idle")) results.idle = await idleAfterWork(binary);
  if (wanted("backlog")) results.backlog = await measureBacklog(binary, { rows, seconds });
  const counted = results.paced?.flatMap(({ rows }) => rows) ?? [];
  const settings = { rounds, seconds };
  const report = { machine, settings, ...results, rows: counted, budgets: budgetsOf(results), leftOut };
  print(json ? JSON.stringify(report) : present(report));
  return counted.every(({ right }) => right);
}

async function idleAfterWork(binary: string): Promise<Idle> {
  const receivers = await Receivers.start();
  const installation = await webhooksInstallation(binary);
  for (const path of healthy) await addSubscriber(binary, installation, await receivers.addressOf(path));
  const server = await startWebhooksServer("idle", installation);
  const sent = await sendPaced(server, { perSecond: 100, seconds: 1 });
  await receivers.when(healthy, sent.length * healthy.length, 30);
  const idle = await measureIdle("five subscribers, nothing waiting", server.pid);
  await server.stop();
  await receivers.stop();
  removeFolder(installation.folder);
  return idle;
}
