import { realpathSync } from "node:fs";
import type { ClaimedRun } from "../../../client/src/runner.ts";
import type { RunFolder } from "./run-folder.ts";

/**
 * The environment of a run's command: that of the runner without its `INTAKE_` variables, which may contain the token,
 * and the `INTAKE_RUN_` variables that describe the run.
 */
export function commandEnvironment(
  runnerEnvironment: NodeJS.ProcessEnv,
  { run, ticket, repository, deadlineAt, creditsHeld }: ClaimedRun,
  folder: RunFolder,
): Record<string, string> {
  const inherited = Object.entries(runnerEnvironment).filter(([name]) => !name.startsWith("INTAKE_")) as [
    string,
    string,
  ][];
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: folder.temporary,
    // Git and ssh fail instead of waiting for a password that nobody types.
    GIT_TERMINAL_PROMPT: "0",
    SSH_ASKPASS_REQUIRE: "never",
    INTAKE_RUN_ID: run.id,
    INTAKE_RUN_ATTEMPT: String(run.attempt),
    INTAKE_RUN_BRANCH: run.branch,
    INTAKE_RUN_DEADLINE: deadlineAt,
    INTAKE_RUN_TICKET_ID: ticket.id,
    INTAKE_RUN_TICKET_TITLE: ticket.title,
    INTAKE_RUN_TICKET_URL: ticket.url,
    ...(repository ? { INTAKE_RUN_REPOSITORY: repository.url } : {}),
    ...(repository?.baseBranch ? { INTAKE_RUN_BASE_BRANCH: repository.baseBranch } : {}),
    ...(creditsHeld === null ? {} : { INTAKE_RUN_CREDITS: String(creditsHeld) }),
    INTAKE_RUN_RESULT: folder.result,
    INTAKE_RUN_FOLDER: folder.path,
  };
}

/** Marks by which processes of this run are recognised: no process of another run has them. */
export function tracesOf({ path }: RunFolder): { mark: string; folder: string } {
  return { mark: `INTAKE_RUN_FOLDER=${path}`, folder: realpathSync(path) };
}
