import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindRepository, unbindRepository } from "../../server/boards/repositories.ts";
import { createToken } from "../../server/credentials/create-token.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { assignTicket, git, logOf, makeRepository, runOf, startRunner } from "../support/runner.ts";
import { installed, installSshServer } from "./install.ts";

setDefaultTimeout(180_000);

let installation: Installation;
let server: RunningBinary;
let folder: string;
let bare: string;
/** A host that knows the server's key, and has its own key in an agent. */
let env: Record<string, string>;
let tokenFile: string;
let port: string;
const helpers: Bun.Subprocess[] = [];

beforeAll(async () => {
  installSshServer();
  installation = await install();
  server = await serve(installation.folder);
  folder = join(installation.folder, "ssh");
  mkdirSync(join(folder, "work"), { recursive: true });
  ({ bare } = makeRepository(folder));
  tokenFile = join(folder, "token");
  const { ctx } = installation;
  const { token } = await createToken({ ctx, input: { name: "Runner", reach: "all", scopes: ["runs:execute"] } });
  writeFileSync(tokenFile, token);

  for (const name of ["host", "user"]) command(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key(name)]);
  const ssh = Bun.spawn([installed.python, join(import.meta.dir, "ssh-server.py"), key("host"), key("user.pub")], {
    stdout: "pipe",
    stderr: "ignore",
  });
  const agent = Bun.spawn(["ssh-agent", "-D", "-a", key("agent.sock")], { stdout: "pipe", stderr: "inherit" });
  helpers.push(ssh, agent);
  const said = async ({ stdout }: { stdout: ReadableStream<Uint8Array> }) =>
    new TextDecoder().decode((await stdout.getReader().read()).value);
  port = (await said(ssh)).trim();
  await said(agent);
  command(["ssh-add", "-q", key("user")], { SSH_AUTH_SOCK: key("agent.sock") });

  const [, hostKey] = (await Bun.file(key("host.pub")).text()).split(" ");
  writeFileSync(key("known"), `[127.0.0.1]:${port} ssh-ed25519 ${hostKey}\n`);
  writeFileSync(key("none"), "");
  env = { GIT_CONFIG_NOSYSTEM: "1", HOME: folder, SSH_AUTH_SOCK: key("agent.sock"), ...sshWith("known") };
});
afterAll(async () => {
  for (const helper of helpers) helper.kill();
  await server.stop();
  await installation.remove();
});

const key = (name: string) => join(folder, name);

/** What stands in `~/.ssh` of a host; keys are in the agent alone. */
function sshWith(known: string): Record<string, string> {
  const config = key(`config-${known}`);
  const lines = [`Port ${port}`, "IdentityFile none", `UserKnownHostsFile ${key(known)}`, "GlobalKnownHostsFile none"];
  writeFileSync(config, `Host 127.0.0.1\n${lines.join("\n")}\n`);
  return { GIT_SSH_COMMAND: `ssh -F ${config}` };
}

function command(words: string[], more: Record<string, string> = {}) {
  const { exitCode, stderr } = Bun.spawnSync(words, { env: { PATH: process.env["PATH"] ?? "", ...more } });
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
}

/** A run against this address, by a runner on a host with this environment. */
async function executed(url: string, host: Record<string, string>, baseBranch?: string) {
  const { ctx, made } = installation;
  const { id } = await bindRepository({ ctx, input: { projectId: made.project.id, url, baseBranch } });
  const { runId } = await assignTicket(server.url, installation, { title: "Over ssh" });
  const exec = `echo "base: $INTAKE_RUN_BASE_BRANCH"; ls
git commit --quiet --allow-empty -m "By the agent" && git push --quiet origin HEAD`;
  const workshop = { bare, scripts: folder, work: join(folder, "work"), tokenFile, env: host };
  const runner = startRunner(server.url, workshop, ["--once", "--exec", exec]);
  await runner.exited;
  await unbindRepository({ ctx, input: { id } });
  return { ...(await runOf(installation, runId)), log: await logOf(installation, runId) };
}

test.each([
  ["ssh://", () => `ssh://git@127.0.0.1:${port}${bare}`],
  ["user@host:path", () => `git@127.0.0.1:${bare}`],
])("%s is cloned and pushed to with the host's own agent and known hosts", async (_, url) => {
  const run = await executed(url(), env);
  expect(run).toMatchObject({ state: "succeeded" });
  expect(git({}, "-C", bare, "log", "-1", "--format=%s", run.branch)).toBe("By the agent");
});

test("a host whose key is not known ends the run as failed, without a question that nobody answers", async () => {
  const run = await executed(`ssh://git@127.0.0.1:${port}${bare}`, { ...env, ...sshWith("none") });
  expect(run).toMatchObject({ state: "failed", summary: expect.stringContaining("could not be cloned") });
  expect(run.log).toContain("Host key verification failed");
});

test("without a key that is let in, the run ends as failed", async () => {
  const run = await executed(`ssh://git@127.0.0.1:${port}${bare}`, { ...env, SSH_AUTH_SOCK: key("nobody.sock") });
  expect(run).toMatchObject({ state: "failed" });
  expect(run.log).toContain("Permission denied");
});

test("a run begins from the base branch that the repository was bound with", async () => {
  const tree = git({}, "-C", bare, "rev-parse", "main^{tree}");
  const blob = git({}, "-C", bare, "hash-object", "-w", "/dev/null");
  const list = key("tree");
  writeFileSync(list, `100644 blob ${blob}\tON_DEVELOP\n`);
  const made = Bun.spawnSync(["git", "-C", bare, "mktree"], { stdin: Bun.file(list) })
    .stdout.toString()
    .trim();
  expect(made).not.toBe(tree);
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" };
  const commit = git({ ...author, ...committer }, "-C", bare, "commit-tree", made, "-m", "Second");
  git({}, "-C", bare, "update-ref", "refs/heads/develop", commit);
  const run = await executed(`ssh://git@127.0.0.1:${port}${bare}`, env, "develop");
  expect(run).toMatchObject({ state: "succeeded", log: expect.stringContaining("base: develop\nON_DEVELOP\n") });
  expect(git({}, "-C", bare, "rev-parse", `${run.branch}^`)).toBe(commit);
  const absent = await executed(`ssh://git@127.0.0.1:${port}${bare}`, env, "no-such-branch");
  expect(absent).toMatchObject({ state: "failed", log: expect.stringContaining("origin/no-such-branch") });
});

test("where git does not know whose commits these are, they are the agent's; where it does, it stays so", async () => {
  const nobody = { ...env, GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "user.useConfigOnly", GIT_CONFIG_VALUE_0: "true" };
  const authorOf = (branch: string) => git({}, "-C", bare, "log", "-1", "--format=%an <%ae>", branch);
  const first = await executed(`ssh://git@127.0.0.1:${port}${bare}`, nobody);
  expect(first).toMatchObject({ state: "succeeded" });
  expect(authorOf(first.branch)).toBe("Intake agent <agent@127.0.0.1>");
  writeFileSync(key(".gitconfig"), "[user]\nname = Ada\nemail = ada@example.org\n");
  const second = await executed(`ssh://git@127.0.0.1:${port}${bare}`, nobody);
  expect(authorOf(second.branch)).toBe("Ada <ada@example.org>");
});
