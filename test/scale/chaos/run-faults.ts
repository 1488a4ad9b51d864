import { until } from "../../support/until.ts";
import { Clients, type Credentials, limitedRequests } from "./clients.ts";
import { Deployment } from "./deployment.ts";
import { type FaultName, faults } from "./faults.ts";
import { judge } from "./judge.ts";
import { Ledger } from "./ledger.ts";
import { Random } from "./random.ts";
import { type AttachmentPaths, startReceivers } from "./receivers.ts";

interface Options {
  fault: FaultName;
  rounds: number;
  processes: number;
  seed: number;
  progress: (text: string) => void;
}

/** How long a process may need until it works again after a fault. */
const recoverySeconds = 45;

/** What a run of faults came to. */
export interface FaultReport {
  fault: FaultName;
  rounds: number;
  processes: number;
  seed: number;
  seconds: number;
  acknowledged: { tickets: number; reports: number; attachments: number; deliveries: number; replays: number };
  lost: number;
  doubled: number;
  /** Milliseconds from the end of a fault until every process had acknowledged a ticket. */
  recovery: { p50: number; max: number };
  answers: Record<string, number>;
  /** Everything that must not happen; a run without any has passed. */
  faults: string[];
}

/** Lets a fault happen again and again under load, and judges what is left. */
export async function runFaults({ fault, rounds, processes, seed, progress }: Options): Promise<FaultReport> {
  const started = performance.now();
  const [ledger, random] = [new Ledger(), new Random(seed)];
  const paths: AttachmentPaths = new Map();
  const deployment = await Deployment.start({ processes, standby: faults[fault].needsStandby ?? false });
  const receivers = startReceivers(paths);
  try {
    const credentials = await prepare(
      deployment,
      receivers.map(({ url }) => url),
    );
    const clients = new Clients({ deployment, ledger, random: new Random(seed + 1), credentials });
    clients.start();
    const recoveries: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await faults[fault].happen({ deployment, ledger, random });
      recoveries.push(await recovery(deployment, clients, ledger));
      if (round % Math.ceil(rounds / 10) === 0) {
        const { tickets, reports } = counts(ledger);
        progress(`${round} of ${rounds} rounds, ${tickets} tickets and ${reports} reports acknowledged`);
      }
    }
    await clients.stop();
    progress("looking for everything that was acknowledged");
    const { lost, doubled, ...found } = await judge({ deployment, ledger, clients, receivers, paths });
    const sorted = recoveries.toSorted((one, other) => one - other);
    return {
      ...{ fault, rounds, processes, seed, seconds: Math.round((performance.now() - started) / 1_000) },
      acknowledged: { ...found, replays: ledger.replays },
      ...{ lost, doubled },
      recovery: { p50: Math.round(sorted[sorted.length >> 1] ?? 0), max: Math.round(sorted.at(-1) ?? 0) },
      answers: Object.fromEntries([...ledger.answers].sort()),
      faults: ledger.faults(),
    };
  } finally {
    for (const receiver of receivers) receiver.close();
    await deployment.stop();
  }
}

/** Makes what clients send with, and subscribers at these addresses. */
async function prepare(deployment: Deployment, addresses: readonly string[]): Promise<Credentials> {
  const project = deployment.made.project.id;
  const token = (limit: number) =>
    deployment.command<{ token: string }>("token", "create", "--name", "CI", "--all-projects", "--limit", `${limit}`);
  const credentials = {
    token: (await token(1_000_000)).token,
    limitedToken: (await token(limitedRequests)).token,
    sdkKey: (
      await deployment.command<{ key: string }>(
        ...["key", "create", "--name", "App", "--project", project, "--limit", "1000000"],
      )
    ).key,
  };
  for (const url of addresses) await deployment.command("subscriber", "add", "--project", project, "--url", url);
  return credentials;
}

/** Milliseconds until every process has acknowledged a ticket. */
async function recovery({ processes }: Deployment, clients: Clients, ledger: Ledger): Promise<number> {
  const began = performance.now();
  await Promise.all(
    processes.map((process) =>
      until(async () => ((await clients.probe(process)) ? true : undefined), recoverySeconds).catch(() =>
        ledger.fault(`a process did not work again within ${recoverySeconds} s`, process.server.stderr().slice(-2_000)),
      ),
    ),
  );
  return performance.now() - began;
}

const counts = (ledger: Ledger) => ({
  tickets: ledger.acknowledgedTickets().length,
  reports: ledger.acknowledgedReports().length,
});
