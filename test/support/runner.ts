import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readRunLog } from "../../server/agents/read-run-log.ts";
import type { RunRow } from "../../server/agents/run.ts";
import { bindRepository } from "../../server/boards/repositories.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import { binaryPath, requireBinary } from "./binary.ts";
import type { Installation } from "./installation.ts";

export interface RunningRunner {
  pid: number;
  /** Everything printed so far, on stdout and stderr. */
  text(): string;
  /** Waits for a text in the output; an error when the runner ends without it. */
  said(words: string | RegExp): Promise<void>;
  exited: Promise<number>;
  signal(name: NodeJS.Signals): void;
}

/** The place of runs: a repository of the project, and the folder that stands for it on this machine. */
export interface Workshop {
  /** A bare repository with one commit. */
  bare: string;
  /** Scripts that stand for agents, by the title of the ticket. */
  scripts: string;
  /** The folder in which runs get their folders. */
  work: string;
  tokenFile: string;
  env: Record<string, string>;
}

const address = "https://git.example.org/shop.git";

/** Makes a bare repository with one commit, and the environment in which git finds it under its address. */
export function makeRepository(folder: string): { bare: string; env: Record<string, string> } {
  const bare = join(folder, "shop.git");
  const env = {
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `url.file://${bare}.insteadOf`,
    GIT_CONFIG_VALUE_0: address,
  };
  git(env, "init", "--quiet", "--bare", "--initial-branch=main", bare);
  const tree = git(env, "-C", bare, "hash-object", "-t", "tree", "-w", "/dev/null");
  git(env, "-C", bare, "update-ref", "refs/heads/main", git(env, "-C", bare, "commit-tree", tree, "-m", "First"));
  return { bare, env };
}

/** A repository of the project, an API token for runners, and folders, all in the installation's folder. */
export async function openWorkshop({ ctx, made, folder }: Installation): Promise<Workshop> {
  const home = join(folder, "workshop");
  const [scripts, work, tokenFile] = [join(home, "scripts"), join(home, "work"), join(home, "token")];
  for (const path of [scripts, work]) mkdirSync(path, { recursive: true });
  const { bare, env } = makeRepository(home);
  await bindRepository({ ctx, input: { projectId: made.project.id, url: address } });
  const { token } = await createToken({ ctx, input: { name: "Runner", reach: "all", scopes: ["runs:execute"] } });
  writeFileSync(tokenFile, `${token}\n`);
  return { bare, scripts, work, tokenFile, env: { ...env, SCRIPTS: scripts } };
}

export function git(env: Record<string, string>, ...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...args], { env: { ...process.env, ...env } });
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.toString().trim();
}

/** `intake runner`; its agent is the script with the name of the ticket. */
export function startRunner(
  url: string,
  { tokenFile, work, env }: Workshop,
  args: string[] = [],
  more: Record<string, string> = {},
): RunningRunner {
  requireBinary();
  const exec = args.includes("--exec") ? [] : ["--exec", '. "$SCRIPTS/$INTAKE_RUN_TICKET_TITLE"'];
  const flags = ["--url", url, "--token-file", tokenFile, "--work-dir", work, ...exec, ...args];
  const child = Bun.spawn([binaryPath, "runner", ...flags], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env, ...more },
    stdout: "pipe",
    stderr: "pipe",
  });
  let text = "";
  let waiting: (() => void)[] = [];
  const hear = () => {
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  };
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      hear();
    }
  };
  let ended = false;
  void Promise.all([collect(child.stdout), collect(child.stderr), child.exited]).then(() => {
    ended = true;
    hear();
  });
  return {
    pid: child.pid,
    text: () => text,
    exited: child.exited,
    signal: (name) => child.kill(name),
    async said(wanted) {
      while (text.search(wanted) < 0) {
        if (ended) throw new Error(`the runner ended without saying ${wanted}: ${text}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

/** Creates a card that is assigned to the agent; returns its run. */
export async function assignTicket(
  url: string,
  { ctx, made }: Installation,
  ticket: { title: string; description?: string },
): Promise<{ runId: string; ticketId: string }> {
  const response = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: { authorization: `Bearer ${made.apiToken.token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...ticket, assigneeUserId: made.agent.id }),
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  const run = await ctx.store.one<{ id: string }>("select id from agent_run where ticket_id = $1", [id]);
  return { runId: run?.id ?? "none", ticketId: id };
}

export async function runOf({ ctx }: Installation, id: string): Promise<RunRow> {
  const run = await ctx.store.one<RunRow>("select * from agent_run where id = $1", [id]);
  if (!run) throw new Error(`there is no run ${id}`);
  return run;
}

export async function logOf({ ctx }: Installation, id: string): Promise<string> {
  let text = "";
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof readRunLog>> = await readRunLog({ ctx, input: { id, after } });
    text += page.items.map((chunk) => chunk.text).join("");
    after = page.next;
  }
  return text;
}

/** A proxy between a runner and its server; `answer` decides what comes back. */
export function between(
  answer: (request: Request, forward: (url: string) => Promise<Response>) => Promise<Response>,
): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) =>
      answer(request, (url) => forwarded(request, url)).catch(() => new Response("Bad gateway", { status: 502 })),
  });
}

async function forwarded(request: Request, url: string): Promise<Response> {
  const { method, headers, signal } = request;
  const body = await request.arrayBuffer();
  const response = await fetch(url + new URL(request.url).pathname, { method, headers, body, signal });
  const bytes = await response.arrayBuffer();
  return new Response(response.status === 204 ? null : bytes, { status: response.status, headers: response.headers });
}
