import { bindRepository } from "../../../server/boards/repositories.ts";
import { machine, postRunner, queueRun, type RunProject, repositoryUrl, runnerToken } from "../../support/runs.ts";
import type { Target } from "../../support/targets.ts";
import { type Scene, setScene } from "./board-scene.ts";

/** A scene whose first project has a repository, with a token for a machine that executes its runs. */
export interface RunsScene extends Scene {
  target: Target;
  runs: RunProject;
}

export async function setRunsScene(): Promise<RunsScene> {
  const scene = await setScene();
  const { installation, server } = scene;
  const { ctx, made } = installation;
  const { id: repositoryId } = await bindRepository({
    ctx,
    input: { projectId: made.project.id, url: repositoryUrl },
  });
  const runner = await runnerToken({ ctx }, { name: "Runners" });
  const author = await runnerToken({ ctx }, { name: "CI main", scopes: ["tickets:write"] });
  const send = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  const target: Target = { way: "over loopback", installation, url: server.url, send };
  return { ...scene, target, runs: { projectId: made.project.id, repositoryId, runner, author } };
}

interface Work {
  runId: string;
  ticketId: string;
  tell(call: "heartbeat" | "log" | "complete", body: object): Promise<number>;
}

/** Queues a run; returns it. */
export function queued({ installation, runs }: RunsScene) {
  return queueRun(installation, runs);
}

/** Queues a run and claims it; fails when the claim returns another run. */
export async function worked(scene: RunsScene): Promise<Work> {
  const { runId, ticketId } = await queued(scene);
  const { token } = scene.runs.runner;
  const body = { claimId: crypto.randomUUID(), runner: { ...machine, name: "build-host-7", labels: ["linux"] } };
  const response = await postRunner(scene.target, "claim", { token, body });
  const { run, leaseToken } = (await response.json()) as { run: { id: string }; leaseToken: string };
  if (run.id !== runId) throw new Error("another run was queued before");
  return {
    runId,
    ticketId,
    tell: async (call, body) => {
      const path = `runs/${runId}/${call}`;
      return (await postRunner(scene.target, path, { token, body: { leaseToken, ...body } })).status;
    },
  };
}
