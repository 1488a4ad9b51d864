import { until } from "../../support/until.ts";
import { Deployment, type Process } from "../chaos/deployment.ts";

interface Options {
  rounds: number;
  progress: (text: string) => void;
}

const pollMilliseconds = 50;

/** Milliseconds from the kill -9 of a process until another one had taken up what that had under way. */
interface Takeovers {
  deliveries: number[];
  runs: number[];
  duties: number[];
}

/** Kills the only process that has deliveries, a run and duties under way, again and again. */
export async function measureTakeover({ rounds, progress }: Options): Promise<Takeovers> {
  const deployment = await Deployment.start({ processes: 1 });
  const receiver = new HoldingReceiver();
  const takeovers: Takeovers = { deliveries: [], runs: [], duties: [] };
  try {
    const { made } = deployment;
    const project = made.project.id;
    await deployment.command("subscriber", "add", "--project", project, "--url", receiver.url);
    await deployment.command("repository", "bind", "--project", project, "--url", "https://git.example.org/shop.git");
    const runner = await deployment.command<{ token: string }>(
      ...["token", "create", "--name", "Runner", "--all-projects", "--scope", "runs:execute"],
    );
    for (let round = 1; round <= rounds; round++) {
      const former = deployment.processes[0] as Process;
      await untilHolder(deployment, former);
      receiver.holding = true;
      const eventId = await sendReport(former, made.sdkKey.key);
      await until(() => (receiver.came.has(eventId) ? true : undefined));
      const runId = await claimRun(former, { author: made.apiToken.token, runner: runner.token, agent: made.agent.id });
      const next = await deployment.add(`process ${round + 1}`);
      // Nobody takes up anything while its heartbeats are younger than this.
      await Bun.sleep(6_000 + Math.random() * 2_000);

      await deployment.kill(former);
      const killed = performance.now();
      deployment.processes.shift();
      receiver.holding = false;
      await deployment.rows(`update agent_run set lease_until = 1 where id = '${runId}'`);
      const [delivery, run, duty] = await Promise.all([
        until(() => ((receiver.came.get(eventId) ?? 0) > 1 ? performance.now() : undefined)),
        untilTakenBack(deployment, runId),
        untilHolder(deployment, next),
      ]);
      takeovers.deliveries.push(delivery - killed);
      takeovers.runs.push(run - killed);
      takeovers.duties.push(duty - killed);
      progress(`${round} of ${rounds} rounds, the last took ${Math.round(Math.max(delivery, run, duty) - killed)} ms`);
    }
    return takeovers;
  } finally {
    receiver.close();
    await deployment.stop();
  }
}

/** Answers nothing while it holds. */
class HoldingReceiver {
  holding = true;
  readonly came = new Map<string, number>();
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const id = request.headers.get("webhook-id") ?? "";
      this.came.set(id, (this.came.get(id) ?? 0) + 1);
      if (this.holding) await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      return new Response(null, { status: 204 });
    },
  });

  get url(): string {
    return `${this.#server.url}hook`;
  }

  close() {
    void this.#server.stop(true);
  }
}

async function sendReport({ server }: Process, key: string): Promise<string> {
  const form = new FormData();
  form.append("envelope", JSON.stringify({ reportId: crypto.randomUUID() }));
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${server.url}/api/ingest`, { method: "POST", headers, body: form });
  if (response.status !== 200) throw new Error(`a report was answered with ${response.status}`);
  return ((await response.json()) as { eventId: string }).eventId;
}

/** Queues a run and claims it. */
async function claimRun(
  { server }: Process,
  { author, runner, agent }: { author: string; runner: string; agent: string },
): Promise<string> {
  const post = async (path: string, token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  await post("/api/v1/tickets", author, { title: "For the agent", assigneeUserId: agent });
  const claim = { claimId: crypto.randomUUID(), runner: { name: "machine", version: "1", labels: [] } };
  const { run } = (await post("/runner/v1/claim", runner, claim)) as { run: { id: string } };
  return run.id;
}

/** Resolves with the time when the run was no longer its runner's: it waits in the queue again, or had its last attempt. */
function untilTakenBack(deployment: Deployment, runId: string): Promise<number> {
  return untilRow(deployment, `select 1 from agent_run where id = '${runId}' and state <> 'claimed'`);
}

/** Resolves with the time when one process held all duties. */
function untilHolder(deployment: Deployment, { server }: Process): Promise<number> {
  return untilRow(
    deployment,
    `select 1 from duty d left join process p on p.id = d.holder
     having count(*) > 1 and count(*) filter (where p.url = '${server.url}') = count(*)`,
  );
}

function untilRow(deployment: Deployment, sql: string): Promise<number> {
  return until(async () => {
    if ((await deployment.rows(sql)).length > 0) return performance.now();
    await Bun.sleep(pollMilliseconds);
    return undefined;
  });
}
