import { accessSync, constants } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { resolve } from "node:path";
import { limits } from "../../openapi/schema/limits.ts";
import { version } from "../../package.json";
import { credentialKindOf } from "../core/credential.ts";
import { requireName } from "../core/names.ts";
import { requireUrl } from "../core/settings.ts";
import { command, readValue } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import type { Io } from "./io.ts";
import { checked, fallback, flag, integer, many, readSecret, required, text, UsageError } from "./options.ts";

export const runnerCommand = command({
  name: "runner",
  summary: "execute agent runs on this machine with your own command as the agent",
  options: {
    url: fallback(checked("U", "where Intake answers", requireUrl, { env: "INTAKE_URL" }), "http://127.0.0.1:3000"),
    "token-file": required(text("F", "file with an API token that has the scope runs:execute; read once")),
    exec: required(text("CMD", "what the shell runs for each run, in a fresh clone of its repository")),
    name: checked("N", "name of this machine for people (its host name)", requireName),
    label: many(checked("L", "label of this machine for people; repeat for several", requireName)),
    "work-dir": text("DIR", "where each run gets a folder of its own, which is removed afterwards (a temporary one)"),
    concurrency: fallback(integer("N", "runs at a time", { min: 1, max: 100 }), 1),
    "no-clone": flag("do not clone the repository; the command starts in an empty folder"),
    once: flag("end after one run"),
  },
  notes: `The command finds the ticket as JSON on its stdin and INTAKE_RUN_* in its environment, never the token. What it prints is the log. It says how it went in the file that INTAKE_RUN_RESULT names, {"outcome", "summary", "branch", "pullRequestUrl", "creditsUsed"}, or by its exit status.
SIGTERM finishes the runs under way and claims no more; a second SIGTERM gives them up, and the server queues them again.`,
  example: "intake runner --url https://intake.example.org --token-file token --exec /opt/agent/agent.sh",
  async run({ options, io }) {
    if (process.platform === "win32") throw new CommandFailed("a runner needs a POSIX shell; on Windows, use WSL");
    const token = readToken(options["token-file"]);
    if (options.label.length > limits.runnerLabelsMax) {
      throw new UsageError(`--label can be given ${limits.runnerLabelsMax} times`);
    }
    const workDir = requireFolder(resolve(options["work-dir"] ?? tmpdir()));
    if (!options["no-clone"] && !Bun.which("git")) throw new CommandFailed("there is no git to clone with");
    const { executeRuns } = await import("../agents/runner/execute-runs.ts");
    const { isIntakeError } = await import("../../client/src/runner.ts");
    const { stop, giveUp } = onSignals(io);
    io.note(`waiting for runs at ${options.url}`);
    try {
      const all = await executeRuns({
        url: options.url,
        token,
        info: { name: options.name ?? hostname().slice(0, limits.nameMax), version, labels: options.label },
        concurrency: options.concurrency,
        once: options.once,
        command: options.exec,
        workDir,
        clone: !options["no-clone"],
        stop,
        giveUp,
        note: (line) => io.note(line),
        completed: (run) => io.result(run, `run ${run.id}: ${run.state}`),
      });
      return all ? 0 : 1;
    } catch (error) {
      throw isIntakeError(error) ? new CommandFailed(error.message) : error;
    }
  },
});

function readToken(path: string): string {
  const token = readValue("--token-file", () => readSecret(path));
  if (credentialKindOf(token) !== "token") throw new UsageError("--token-file: there is no API token in the file");
  return token;
}

function requireFolder(path: string): string {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UsageError(`--work-dir: nothing can be made in the folder (${(error as { code?: string }).code})`);
  }
  return path;
}

/** The first SIGTERM or SIGINT aborts `stop` (claim no more runs), the second one `giveUp` (leave the runs under way). */
function onSignals(io: Io): { stop: AbortSignal; giveUp: AbortSignal } {
  const [stop, giveUp] = [new AbortController(), new AbortController()];
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) return giveUp.abort();
      stop.abort();
      io.note("finishing what is under way; a second signal gives it up");
    });
  }
  return { stop: stop.signal, giveUp: giveUp.signal };
}
