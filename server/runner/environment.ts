import type { ClaimedRun } from "../../client/src/runner.ts";
import type { RunFolder } from "./run-folder.ts";

/**
 * What a command finds in its environment: that of the runner without everything of Intake's own, so no token, and what
 * it has to know of its run.
 */
export function commandEnvironment(
  own: NodeJS.ProcessEnv,
  { run, ticket, repository, deadlineAt, creditsHeld }: ClaimedRun,
  folder: RunFolder,
): Record<string, string> {
  const inherited = Object.entries(own).filter(([name]) => !name.startsWith("INTAKE_")) as [string, string][];
  return {
    ...Object.fromEntries(inherited),
    TMPDIR: folder.temporary,
    // Nobody is there to type a password.
    GIT_TERMINAL_PROMPT: "0",
    INTAKE_RUN_ID: run.id,
    INTAKE_RUN_ATTEMPT: String(run.attempt),
    INTAKE_RUN_BRANCH: run.branch,
    INTAKE_RUN_DEADLINE: deadlineAt,
    INTAKE_RUN_TICKET_ID: ticket.id,
    INTAKE_RUN_TICKET_TITLE: ticket.title,
    INTAKE_RUN_TICKET_URL: ticket.url,
    ...(repository ? { INTAKE_RUN_REPOSITORY: repository.url } : {}),
    ...(creditsHeld === null ? {} : { INTAKE_RUN_CREDITS: String(creditsHeld) }),
    INTAKE_RUN_RESULT: folder.result,
    INTAKE_RUN_FOLDER: folder.path,
  };
}

/** What stands in the environment of one run's processes, and of no others. */
export function markOf({ path }: RunFolder): string {
  return `INTAKE_RUN_FOLDER=${path}`;
}
