import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cancelRun } from "../../server/agents/cancel-run.ts";
import { grantCredits } from "../../server/agents/grant-credits.ts";
import { listCredits } from "../../server/agents/list-credits.ts";
import { showCredits } from "../../server/agents/show-credits.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import { showTicket } from "../../server/tickets/show.ts";
import { type Finished, type RunningBinary, run, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import {
  assignTicket,
  between,
  git,
  logOf,
  openWorkshop,
  type RunningRunner,
  runOf,
  startRunner,
  type Workshop,
} from "../support/runner.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
let workshop: Workshop;
const started: RunningRunner[] = [];

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  workshop = await openWorkshop(installation);
});
afterAll(async () => {
  for (const { signal } of started) signal("SIGKILL");
  await server.stop();
  await installation.remove();
});

function runner(args: string[] = ["--once"], more: { url?: string; env?: Record<string, string> } = {}): RunningRunner {
  const one = startRunner(more.url ?? server.url, workshop, args, more.env);
  started.push(one);
  return one;
}

/** Creates a card whose agent is this script. */
function assign(title: string, script: string, description?: string) {
  writeFileSync(join(workshop.scripts, title), script);
  return assignTicket(server.url, installation, { title, ...(description === undefined ? {} : { description }) });
}

const file = (name: string) => join(workshop.scripts, name);
const appears = (path: string) => until(() => existsSync(path) || undefined);

describe("a card that is assigned to the agent", () => {
  test("becomes a branch, a log, a result and credits that are used", async () => {
    await grantCredits({ ctx: installation.ctx, input: { amount: 100 } });
    const { runId, ticketId } = await assign(
      "branch",
      `cat > ticket.json
git add ticket.json && git commit --quiet -m "$INTAKE_RUN_TICKET_TITLE" && git push --quiet origin HEAD
echo working; echo trouble >&2
echo '{"summary": "It is done.", "pullRequestUrl": "https://git.example.org/shop/pulls/7", "creditsUsed": 4}' > "$INTAKE_RUN_RESULT"`,
      "Make it good.",
    );
    const one = runner();
    expect(await one.exited).toBe(0);
    expect(one.text()).toContain(`run ${runId}: succeeded\n`);
    const ended = await runOf(installation, runId);
    expect(ended).toMatchObject({
      state: "succeeded",
      summary: "It is done.",
      pull_request_url: "https://git.example.org/shop/pulls/7",
      credits_used: 4,
      lease_until: null,
    });
    const committed = git({}, "-C", workshop.bare, "show", `${ended.branch}:ticket.json`);
    expect(JSON.parse(committed)).toMatchObject({ id: ticketId, title: "branch", description: "Make it good." });
    const log = await logOf(installation, runId);
    expect(log).toContain("Cloning https://git.example.org/shop.git on the branch agent/");
    expect(log).toEndWith("Running the command\nworking\ntrouble\n");
    const { items } = await listCredits({ ctx: installation.ctx, input: { cursor: undefined, limit: 10 } });
    expect(items.filter((entry) => entry.runId === runId).map(({ kind, amount }) => [kind, amount])).toEqual([
      ["settle", -4],
      ["release", 10],
      ["hold", -10],
    ]);
    expect(await showCredits({ ctx: installation.ctx })).toEqual({ balance: 96, held: 0, used: 4 });
    const card = await showTicket({ ctx: installation.ctx, input: { id: ticketId } });
    expect(card.run).toMatchObject({ id: runId, state: "succeeded" });
    expect(card.activity.map(({ kind }) => kind).sort()).toEqual([
      "created",
      "run_claimed",
      "run_pull_request",
      "run_queued",
      "run_started",
      "run_succeeded",
    ]);
    expect(readdirSync(workshop.work)).toEqual([]);
  });

  test("is failed by the status of its command, and says so", async () => {
    const { runId } = await assign("status", "exit 3");
    const one = runner(["--once", "--json"]);
    expect(await one.exited).toBe(0);
    expect(one.text()).toMatch(new RegExp(`^\\{"id":"${runId}",.*"state":"failed",`, "m"));
    expect(await runOf(installation, runId)).toMatchObject({
      state: "failed",
      summary: "The command ended with status 3.",
      credits_used: 0,
    });
  });

  test("fails with git's words in the log when the repository cannot be cloned", async () => {
    const { runId } = await assign("no clone", "echo never");
    const env = { GIT_CONFIG_KEY_0: "url.file:///nonexistent.insteadOf" };
    expect(await runner(["--once"], { env }).exited).toBe(0);
    expect(await runOf(installation, runId)).toMatchObject({
      state: "failed",
      summary: "The repository could not be cloned; the log says why.",
    });
    const log = await logOf(installation, runId);
    expect(log).toContain("fatal:");
    expect(log).not.toContain("never");
  });

  test("is worked on in an empty folder when nothing is to be cloned", async () => {
    const { runId } = await assign("empty", "ls -A; umask; pwd");
    expect(await runner(["--once", "--no-clone"]).exited).toBe(0);
    expect(await logOf(installation, runId)).toMatch(/^Running the command\n0022\n\S+\/work\/intake-run-\w+\/work\n$/);
  });

  test("has a log of whole characters, even of those that were printed in halves", async () => {
    const { runId } = await assign(
      "halves",
      "printf 'caf\\303'; sleep 0.3; printf '\\251 \\360\\237\\230'; sleep 0.3; printf '\\200\\200'",
    );
    expect(await runner(["--once", "--no-clone"]).exited).toBe(0);
    expect(await logOf(installation, runId)).toBe("Running the command\ncafé 😀\ufffd");
  });

  test("fails when what is reported is refused, such as a pull request elsewhere", async () => {
    const url = "https://elsewhere.example.org/shop/pulls/7";
    const { runId } = await assign(
      "refused",
      `echo '{"pullRequestUrl":"${url}","creditsUsed":2}' > $INTAKE_RUN_RESULT`,
    );
    expect(await runner().exited).toBe(0);
    expect(await runOf(installation, runId)).toMatchObject({
      state: "failed",
      summary: expect.stringContaining("/pullRequestUrl"),
      pull_request_url: null,
      credits_used: 2,
    });
  });
});

test("the command finds no token, in its environment or in the arguments of the runner", async () => {
  const { runId } = await assign(
    "secrets",
    "env; tr '\\0' '\\n' < /proc/$PPID/cmdline; tr '\\0' ' ' < /proc/self/cmdline; id -u >/dev/null",
  );
  const env = { INTAKE_TOKEN: "itk_secret", INTAKE_TOKEN_FILE: workshop.tokenFile, INTAKE_DATA: "/x", OWN: "kept" };
  expect(await runner(["--once", "--name", "Bench 1", "--label", "linux"], { env }).exited).toBe(0);
  const log = await logOf(installation, runId);
  expect(log).not.toContain("itk_");
  expect(log).toContain("OWN=kept\n");
  const names = [...log.matchAll(/^(INTAKE_\w+)=/gm)].map(([, name]) => name).sort();
  expect(names).toEqual([
    "INTAKE_RUN_ATTEMPT",
    "INTAKE_RUN_BRANCH",
    "INTAKE_RUN_CREDITS",
    "INTAKE_RUN_DEADLINE",
    "INTAKE_RUN_FOLDER",
    "INTAKE_RUN_ID",
    "INTAKE_RUN_REPOSITORY",
    "INTAKE_RUN_RESULT",
    "INTAKE_RUN_TICKET_ID",
    "INTAKE_RUN_TICKET_TITLE",
    "INTAKE_RUN_TICKET_URL",
  ]);
  expect(await installation.ctx.store.one("select labels from runner where name = 'Bench 1'")).toEqual({
    labels: '["linux"]',
  });
});

test("several runs at a time", async () => {
  const meet = (other: string) => `touch "$SCRIPTS/here-$INTAKE_RUN_TICKET_TITLE"
until [ -e "$SCRIPTS/here-${other}" ]; do sleep 0.1; done`;
  const runs = [await assign("left", meet("right")), await assign("right", meet("left"))];
  const one = runner(["--concurrency", "2"]);
  for (const { runId } of runs) await one.said(`run ${runId}: succeeded`);
  one.signal("SIGTERM");
  expect(await one.exited).toBe(0);
});

describe("a runner that is told to end", () => {
  test("finishes what is under way, and claims nothing more", async () => {
    const first = await assign("finish", `touch "$SCRIPTS/began"; until [ -e "$SCRIPTS/go" ]; do sleep 0.1; done`);
    const one = runner([]);
    await appears(file("began"));
    one.signal("SIGTERM");
    await one.said("finishing what is under way");
    const second = await assign("later", "true");
    writeFileSync(file("go"), "");
    expect(await one.exited).toBe(0);
    expect((await runOf(installation, first.runId)).state).toBe("succeeded");
    expect((await runOf(installation, second.runId)).state).toBe("queued");
    await cancelRun({ ctx: installation.ctx, input: { id: second.runId } });
  });

  test("ends at once while it waits for a run", async () => {
    const one = runner([]);
    await one.said("waiting for runs");
    // The long poll is under way once the server knows the machine.
    await until(() => installation.ctx.store.one("select 1 from runner"));
    const since = performance.now();
    one.signal("SIGINT");
    expect(await one.exited).toBe(0);
    // The poll would end after half a minute by itself.
    expect(performance.now() - since).toBeLessThan(20_000);
  });

  test("twice leaves the run to another one, which finds the branch", async () => {
    const { runId } = await assign(
      "attempts",
      `if [ "$INTAKE_RUN_ATTEMPT" = 2 ]; then git log --format=%s; exit; fi
git commit --quiet --allow-empty -m "Half of it" && git push --quiet origin HEAD
touch "$SCRIPTS/half"; sleep 1000`,
    );
    const one = runner([]);
    await appears(file("half"));
    one.signal("SIGTERM");
    await one.said("finishing what is under way");
    one.signal("SIGTERM");
    expect(await one.exited).toBe(1);
    expect(one.text()).toContain(`run ${runId}: not completed: given up`);
    expect(readdirSync(workshop.work)).toEqual([]);
    expect(await runOf(installation, runId)).toMatchObject({ state: "running", attempt: 1 });
    await passTime("lease_until", runId);
    await until(async () => ((await runOf(installation, runId)).attempt === 2 ? true : undefined));
    expect(await runner().exited).toBe(0);
    expect((await runOf(installation, runId)).state).toBe("succeeded");
    const log = await logOf(installation, runId);
    expect(log).toContain("The runner was stopped. The run is queued again when its lease ends.\n");
    expect(log).toEndWith("Running the command\nHalf of it\nFirst\n");
  });
});

test("a run whose time is up is stopped, and not completed", async () => {
  const { runId } = await assign(
    "deadline",
    `trap 'touch "$SCRIPTS/told"; exit' TERM; touch "$SCRIPTS/runs"
while :; do sleep 0.1; done`,
  );
  const one = runner();
  await appears(file("runs"));
  await passTime("deadline_at", runId);
  expect(await one.exited).toBe(1);
  expect(one.text()).toContain(`run ${runId}: not completed: lost`);
  expect(existsSync(file("told"))).toBe(true);
  expect(await runOf(installation, runId)).toMatchObject({ state: "expired", reason: "run_limit" });
});

describe("between a runner and its server", () => {
  test("every first answer is lost: the run is executed once, its log is there once", async () => {
    const seen = new Set<string>();
    const proxy = between(async (request, forward) => {
      const answer = await forward(server.url);
      const operation = request.url.split("/").at(-1) ?? "";
      if (seen.has(operation)) return answer;
      if (answer.status === 200) seen.add(operation);
      return new Response("Bad gateway", { status: 502 });
    });
    const { runId } = await assign("lossy", `echo once >> "$SCRIPTS/executed"; echo printed`);
    expect(await runner(["--once"], { url: proxy.url.href }).exited).toBe(0);
    await proxy.stop(true);
    expect([...seen].sort()).toEqual(["claim", "complete", "heartbeat", "log"]);
    expect(await Bun.file(file("executed")).text()).toBe("once\n");
    expect((await logOf(installation, runId)).split("printed")).toHaveLength(2);
    expect(await runOf(installation, runId)).toMatchObject({ state: "succeeded", attempt: 1 });
  });

  test("the server is killed and comes back: the run is completed", async () => {
    const proxy = between((_, forward) => forward(server.url));
    const { runId } = await assign(
      "outage",
      `echo before; touch "$SCRIPTS/up"; until [ -e "$SCRIPTS/down" ]; do sleep 0.1; done; echo after`,
    );
    const one = runner(["--once"], { url: proxy.url.href });
    await appears(file("up"));
    await server.stop("SIGKILL");
    writeFileSync(file("down"), "");
    server = await serve(installation.folder);
    expect(await one.exited).toBe(0);
    await proxy.stop(true);
    expect(await runOf(installation, runId)).toMatchObject({ state: "succeeded", attempt: 1 });
    expect(await logOf(installation, runId)).toEndWith("before\nafter\n");
  });

  test("a token that may not execute runs ends the runner", async () => {
    const { token } = await createToken({ ctx: installation.ctx, input: { name: "CI", reach: "all", scopes: [] } });
    const tokenFile = file("other-token");
    for (const [value, said] of [
      [token, "runs:execute"],
      ["itk_000000000000000000000000000000000000", "intake: "],
    ] as const) {
      writeFileSync(tokenFile, value);
      const one = startRunner(server.url, { ...workshop, tokenFile }, []);
      expect(await one.exited).toBe(1);
      expect(one.text()).toContain(said);
    }
  });
});

test("a folder in which nothing can be made is no place to work", async () => {
  const one = startRunner(server.url, { ...workshop, work: "/nonexistent" });
  expect(await one.exited).toBe(2);
  expect(one.text()).toContain("--work-dir: nothing can be made in the folder (ENOENT)");
});

test.each([
  [["--exec", "true"], "--token-file is required"],
  [["--token-file", "/nonexistent", "--exec", "true"], "--token-file: cannot read the file (ENOENT)"],
  [["--token-file", "/dev/null", "--exec", "true"], "there is no API token in the file"],
  [["--token-file", "/dev/null"], "--exec is required"],
  [["--token-file", "/dev/null", "--exec", "true", "--concurrency", "0"], "--concurrency"],
  [["--token-file", "/dev/null", "--exec", "true", "--url", "ftp://x"], "--url"],
])("typed wrongly: %p", async (args, said) => {
  const { code, stderr }: Finished = await run(["runner", ...args]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
});

/** As if the moment had passed. */
function passTime(column: "lease_until" | "deadline_at", runId: string) {
  return installation.ctx.store.write(function* (tx) {
    yield* tx.run(`update agent_run set ${column} = 1 where id = $1`, [runId]);
  });
}
