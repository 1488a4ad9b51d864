import { join } from "node:path";
import { newCredential } from "../../../server/core/credential.ts";
import { median } from "../median.ts";
import type { BenchOptions } from "../options.ts";
import { output } from "../output.ts";
import { progress } from "../progress.ts";
import { freshFolder } from "../scratch.ts";
import { startServer } from "../server-process.ts";
import { prepareClient } from "./prepare.ts";
import { type Calls, present, type QueueMemory, type Works, works } from "./report.ts";

const rivals = join(import.meta.dir, "../rivals");
const contestants = ["bare fetch", "@intake/client", "openapi-fetch", "ky"] as const;

/** What a call costs its caller, and what a full queue takes. Nothing can be lost here, so it is always true. */
export async function benchClient({ rounds, seconds, json, print }: BenchOptions): Promise<boolean> {
  const { machine, sdk, runtimes } = await prepareClient();
  const server = await startServer(
    [process.execPath, join(import.meta.dir, "answering.ts")],
    join(freshFolder("client"), "log"),
  );
  const credentials = [newCredential("itk_"), newCredential("isk_")];
  const calls: Calls[] = [];
  for (const runtime of runtimes) {
    for (const work of works) calls.push(...(await compare(runtime, work)));
  }
  await server.stop();
  const queues = await Promise.all(
    runtimes.map(async (runtime): Promise<QueueMemory> => {
      const said = await output([...runtime.command, join(rivals, "queue.js"), sdk, newCredential("isk_")]);
      return { runtime: runtime.name, ...JSON.parse(said) };
    }),
  );
  const report = { machine, settings: { rounds, seconds, atOnce: 16 }, calls, queues };
  print(json ? JSON.stringify(report) : present(report));
  return true;

  /** A B C, A B C, …, each in a process of its own. */
  async function compare(runtime: (typeof runtimes)[number], work: Works): Promise<Calls[]> {
    const measured = contestants.map((name) => ({
      name,
      rounds: [] as { perSecond: number; cpuMicroseconds: number }[],
    }));
    for (let round = 1; round <= rounds; round++) {
      for (const one of measured) {
        const script = [join(rivals, "calls.js"), sdk, server.url, ...credentials, one.name, work, String(seconds)];
        one.rounds.push(JSON.parse(await output([...runtime.command, ...script])));
        progress(`${runtime.name}, ${work}, ${one.name}: round ${round} of ${rounds}`);
      }
    }
    return measured.map(({ name, rounds }) => ({
      runtime: runtime.name,
      work,
      name,
      perSecond: median(rounds.map((round) => round.perSecond)),
      cpuMicroseconds: median(rounds.map((round) => round.cpuMicroseconds)),
    }));
  }
}
