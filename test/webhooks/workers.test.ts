import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { claim } from "../../server/webhooks/deliveries/claim.ts";
import { settleAbandoned } from "../../server/webhooks/deliveries/settle.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { deliveriesOf, subscribe, tell } from "../support/deliveries.ts";
import { type Installation, install } from "../support/installation.ts";
import { accept, type ReceivedRequest, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { realWorker } from "./real-worker.ts";
import { holding } from "./webhooks-server.ts";

let installation: Installation;
let receiver: Receiver;
beforeEach(async () => {
  installation = await install();
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await receiver.close();
  await installation.remove();
});

interface Running {
  child: Bun.Subprocess<"pipe", "pipe">;
  output: () => string;
  closed: Promise<void>;
}

/** Resolves once it looks for work. */
async function start(): Promise<Running> {
  const program = join(import.meta.dir, "worker-process.ts");
  const { folder } = installation;
  const env = { ...process.env, ...databaseEnvironment(folder) };
  const child = Bun.spawn([process.execPath, program, folder], { env, stdin: "pipe", stdout: "pipe" });
  let output = "";
  const ready = Promise.withResolvers<void>();
  const read = async () => {
    for await (const chunk of child.stdout) {
      output += Buffer.from(chunk);
      if (output.startsWith("ready\n")) ready.resolve();
    }
    ready.reject(new Error("the worker ended before it was ready"));
  };
  const running = { child, output: () => output, closed: read() };
  await ready.promise;
  return running;
}

/** Ends it in good order; what it has settled, by state. */
async function stop({ child, output, closed }: Running): Promise<Record<string, number>> {
  child.stdin.end();
  expect(await child.exited).toBe(0);
  await closed;
  return JSON.parse(output().replace("ready\n", ""));
}

const attemptOf = ({ line, headers }: ReceivedRequest) => `${line} ${headers.get("webhook-id")}`;

test("three workers at one store share the work, and never send the same attempt", async () => {
  const [subscribers, messages, processes] = [12, 80, 3];
  for (let n = 0; n < subscribers; n++) await subscribe(installation, { url: `${receiver.url()}/${n}` });
  const workers = await Promise.all(Array.from({ length: processes }, start));
  const held = holding();
  receiver.behave = held.behave;
  await Promise.all(Array.from({ length: messages }, () => tell(installation)));
  // More than one worker takes: at least two are at it together.
  await receiver.until(({ requests }) => requests.length === subscribers * 8);
  receiver.behave = accept;
  held.release();
  await receiver.until(({ requests }) => requests.length >= subscribers * messages);
  const settled = await Promise.all(workers.map(stop));
  expect(receiver.requests.length).toBe(subscribers * messages);
  expect(new Set(receiver.requests.map(attemptOf)).size).toBe(subscribers * messages);
  const sharing = settled.filter(({ delivered = 0 }) => delivered > 0);
  expect(sharing.length).toBeGreaterThan(1);
  expect(new Set(settled.flatMap((counts) => Object.keys(counts)))).toEqual(new Set(["delivered"]));
  expect(settled.reduce((sum, { delivered = 0 }) => sum + delivered, 0)).toBe(subscribers * messages);
  const rows = await installation.ctx.store.all(
    "select number, status, error, count(*) as n from attempt group by 1, 2, 3",
  );
  expect(rows).toEqual([{ number: 1, status: 200, error: null, n: subscribers * messages }]);
}, 180_000);

test("what a killed worker was at is taken up by another after a minute, and not before", async () => {
  const { store, newId } = installation.ctx;
  const { id } = await subscribe(installation, { url: receiver.url() });
  receiver.behave = () => {};
  const { child: killed } = await start();
  const messageIds = [await tell(installation), await tell(installation)];
  await receiver.until(({ requests }) => requests.length === 2);
  killed.kill("SIGKILL");
  await killed.exited;
  receiver.behave = accept;

  const leases = await store.all<{ lease_until: number }>("select lease_until from delivery order by lease_until");
  let now = (leases[0]?.lease_until ?? 0) - 1;
  expect(await settleAbandoned(store, { now, schedule: [0, 5], random: () => 0.5, all: false })).toEqual([]);
  expect(await claim(store, { limit: 64, now, newId })).toEqual([]);

  now = leases[1]?.lease_until ?? 0;
  const errors: (string | null)[] = [];
  const other = await realWorker(installation.folder, {
    now: () => now,
    settled: ({ attempted }) => errors.push(attempted.error),
  });
  await other.worker.start({ alone: false });
  expect(errors).toEqual(["abandoned", "abandoned"]);
  now += 6_000;
  await until(() => errors.length === 4 || undefined);
  await other.stop();
  expect(errors.slice(2)).toEqual([null, null]);
  for (const delivery of await deliveriesOf(installation, id)) {
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ error: "abandoned", ms: null }, { status: 200 }],
    });
  }
  const ids = receiver.requests.map(({ headers }) => headers.get("webhook-id") ?? "");
  expect(ids.toSorted()).toEqual([...messageIds, ...messageIds].toSorted());
}, 180_000);
