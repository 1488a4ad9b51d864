import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binaryPath, type Finished, finished, type RunningBinary, serve } from "../support/binary.ts";
import { databaseEnvironment } from "../support/databases.ts";
import { type Installation, install } from "../support/installation.ts";
import { git, makeRepository, runOf } from "../support/runner.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

/**
 * The blocks of the page, word for word, except the values that differ for every reader: an address, an id, a token.
 */
const page = readFileSync(join(import.meta.dir, "../../docs/run-your-own-agent.md"), "utf8");
const blocks = [...page.matchAll(/(?:^`([\w.-]+)`:\n\n)?^```sh\n([\s\S]*?)^```$/gm)].map(([, file, text = ""]) => ({
  file,
  text: text.replaceAll(/^(export )?\w+=.*(…|intake\.example\.org)$\n/gm, ""),
}));

let installation: Installation;
let server: RunningBinary;
let machine: string;
let bare: string;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  machine = join(installation.folder, "machine");
  mkdirSync(machine);
  symlinkSync(binaryPath, join(machine, "intake"));
  const repository = makeRepository(machine);
  bare = repository.bare;
  const { GIT_CONFIG_NOSYSTEM, GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0 } = repository.env;
  env = {
    // Git has no identity configured on this machine.
    ...{ GIT_CONFIG_NOSYSTEM, GIT_CONFIG_KEY_0, GIT_CONFIG_VALUE_0, GIT_CONFIG_COUNT: "2" },
    ...{ GIT_CONFIG_KEY_1: "user.useConfigOnly", GIT_CONFIG_VALUE_1: "true" },
    PATH: `${machine}:${process.env["PATH"]}`,
    HOME: machine,
    INTAKE_DATA: installation.folder,
    ...databaseEnvironment(installation.folder),
    INTAKE_URL: server.url,
    INTAKE_TOKEN: installation.made.apiToken.token,
    PROJECT: installation.made.project.id,
    AGENT: installation.made.agent.id,
    // Stands for a coding agent: reads the task and changes a file.
    CODING_AGENT: `sed -n 's/.*"title":"\\([^"]*\\)".*/\\1/p' > HELLO.md`,
  };
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
});

test("the page's commands, in their order", async () => {
  const [prepare, agent, start, assign, look, codingAgent, startCoding, ...more] = blocks;
  expect(more).toEqual([]);
  expect([agent?.file, codingAgent?.file]).toEqual(["agent.sh", "coding-agent.sh"]);
  await type(prepare);
  save(agent);
  const first = await executed(start, assign);
  expect(first).toMatchObject({ state: "succeeded", summary: "It is in `REQUESTS.md`.", credits_used: 1 });
  const requests = git({}, "-C", bare, "show", `${first.branch}:REQUESTS.md`);
  expect(requests).toBe(`- Say hello in the readme (${server.url}/cards/${first.ticket_id})`);
  expect((await type(look)).stdout).toContain(`${first.id}  succeeded`);
  expect((await type(look)).stdout).toContain("Running the command\n");
  save(codingAgent);
  const second = await executed(startCoding, assign);
  expect(second).toMatchObject({ state: "succeeded", summary: "Changed 1 files.", credits_used: 5 });
  expect(git({}, "-C", bare, "show", `${second.branch}:HELLO.md`)).toBe("Say hello in the readme");
});

test("a coding agent that changes nothing has failed", async () => {
  env["CODING_AGENT"] = "cat > /dev/null";
  const run = await executed(blocks[6], blocks[3]);
  expect(run).toMatchObject({ state: "failed", summary: "The agent has changed nothing." });
});

/** Starts a runner, assigns a card, and waits for its run. */
async function executed(start: { text: string } | undefined, assign: { text: string } | undefined) {
  const runner = shell(start);
  const ended = finished(runner);
  const { stdout } = await type(assign);
  const ticketId = stdout.trim().split("/").at(-1) ?? "";
  const run = await until(async () => {
    const row = await installation.ctx.store.one<{ id: string }>(
      "select id from agent_run where ticket_id = $1 and ended_at is not null",
      [ticketId],
    );
    return row && runOf(installation, row.id);
  });
  process.kill(-runner.pid, "SIGTERM");
  expect((await ended).stdout).toBe(`run ${run.id}: ${run.state}\n`);
  return run;
}

function save(block: { file: string | undefined; text: string } | undefined) {
  writeFileSync(join(machine, block?.file ?? "none"), block?.text ?? "");
}

async function type(block: { text: string } | undefined): Promise<Finished> {
  const done = await finished(shell(block));
  if (done.code !== 0) throw new Error(done.stderr);
  return done;
}

function shell(block: { text: string } | undefined) {
  return Bun.spawn(["sh", "-euc", block?.text ?? "exit 1"], {
    cwd: machine,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
}
