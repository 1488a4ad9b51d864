import { Database } from "bun:sqlite";
import { grantCredits } from "../../../server/agents/grant-credits.ts";
import { type Context, operator } from "../../../server/core/context.ts";
import { idMaker } from "../../../server/core/ids.ts";
import { SqliteStore } from "../../../server/store/sqlite.ts";
import { auditMessages } from "../../../server/webhooks/deliveries/enqueue-audit.ts";
import { queueRun, runProject } from "../../support/runs.ts";
import { startIntake } from "../contestant.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { quantile } from "../quantile.ts";
import { removeFolder } from "../scratch.ts";
import { fillEnded, fillQueue } from "./fill.ts";

export const queuedRuns = 10_000;
export const runners = 50;

export interface Claims {
  endedRuns: number;
  perSecond: number;
  p50Milliseconds: number;
  p99Milliseconds: number;
  cpuMicrosecondsPerClaim: number;
  /** Runs that were given, and those that the database has as claimed; both are all that were queued. */
  given: number;
  claimed: number;
}

/** All queued runs are claimed, as fast as the runners can ask, from a server with so many runs behind it. */
export async function measureClaims(binary: string, endedRuns: number): Promise<Claims> {
  const installation = await freshInstallation(binary);
  const token = await prepare(installation, endedRuns);
  const server = await startIntake("intake", installation, token);
  progress(`claiming ${queuedRuns} with ${endedRuns} ended ones`);
  const [times, given] = [[] as number[], new Set<string>()];
  const [began, cpuBefore] = [performance.now(), cpuMicroseconds(server.pid)];
  await Promise.all(
    Array.from({ length: runners }, async (_, i) => {
      for (;;) {
        const sent = performance.now();
        const id = await claim(server.url, token, `machine ${i}`);
        if (id === undefined) return;
        times.push(performance.now() - sent);
        given.add(id);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  const cpu = cpuMicroseconds(server.pid) - cpuBefore;
  await server.stop();
  const claimed = countClaimed(installation.database);
  removeFolder(installation.folder);
  return {
    endedRuns,
    perSecond: times.length / seconds,
    p50Milliseconds: quantile(times, 0.5),
    p99Milliseconds: quantile(times, 0.99),
    cpuMicrosecondsPerClaim: cpu / times.length,
    given: given.size,
    claimed,
  };
}

/** The first run by the server's own code, the others after its pattern. Credits are limited, so each claim holds some. */
async function prepare({ database }: Installation, endedRuns: number): Promise<string> {
  const store = new SqliteStore(database, {
    busyMs: 0,
    onFatal: (error) => {
      throw error;
    },
  });
  const now = () => Date.now();
  const newId = idMaker(now);
  const ctx: Context = {
    store,
    actor: operator,
    now,
    newId,
    audited: auditMessages({ now, newId }),
    publicUrl: { fallback: "http://127.0.0.1" },
  };
  const agent = await store.one<{ id: string }>("select id from member where role = 'agent'");
  const project = await runProject({ ctx });
  await grantCredits({ ctx, input: { amount: 1_000_000 } });
  await queueRun({ ctx, made: { agent: { id: agent?.id ?? "" } } }, project);
  await store.close();
  fillEnded(database, endedRuns, project.runner.id);
  fillQueue(database, queuedRuns);
  return project.runner.token;
}

async function claim(url: string, token: string, name: string): Promise<string | undefined> {
  const response = await fetch(`${url}/runner/v1/claim`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ claimId: crypto.randomUUID(), runner: { name, version: "1", labels: [] } }),
  });
  if (response.status === 204) return undefined;
  if (response.status !== 200) throw new Error(`a claim was answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { run: { id: string } }).run.id;
}

function countClaimed(database: string): number {
  const db = new Database(database, { readonly: true });
  const [row] = db.query<{ n: number }, []>("select count(*) as n from agent_run where state = 'claimed'").all();
  db.close();
  return row?.n ?? 0;
}
