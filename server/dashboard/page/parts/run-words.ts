import type { RunState } from "../../../../openapi/schema/runner.ts";
import type { RunDetail } from "../../../agents/show-run.ts";
import { plural } from "../core/format.ts";
import { clock, day } from "../core/time.ts";

const titles: Record<RunState, string> = {
  queued: "Queued",
  waiting: "Waiting",
  claimed: "Claimed",
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  expired: "Expired",
};

/** All states of a run, in the order in which a run passes them. */
export const runStates = Object.keys(titles) as RunState[];

export function runTitle(state: string): string {
  return titles[state as RunState] ?? state;
}

const tones: Record<string, string> = {
  succeeded: "ok",
  failed: "err",
  expired: "err",
  cancelled: "",
  waiting: "warn",
};

/** CSS class of the pill that shows a run's state. */
export function runTone(state: string): string {
  return tones[state] ?? "agent";
}

const reasons: Record<string, string> = {
  no_runner: "no runner online",
  no_repository: "no repository",
  no_credits: "no credits left",
  runner_vanished: "its runner vanished",
  run_limit: "it ran too long",
  queue_limit: "nobody took it",
};

/** Why a run waits or ended, in a few words. A reason that this version of the page does not know is shown as the server sent it. */
export function reasonText(reason: string): string {
  return reasons[reason] ?? reason.replaceAll("_", " ");
}

type Why = Pick<RunDetail, "reason" | "attempt" | "credits" | "runnerSeenAt" | "repositories"> & {
  project: { name: string };
};

/** Why a run waits or ended, as a sentence that says what has to happen. */
export function whyOf({ reason, attempt, credits, runnerSeenAt, repositories, project }: Why): string {
  switch (reason) {
    case "no_runner":
      return runnerSeenAt === null
        ? "No runner has been online yet. The run starts once one asks for work."
        : `No runner has been online since ${since(runnerSeenAt)}.`;
    case "no_repository":
      return repositories > 1
        ? `${project.name} has ${repositories} repositories, and none is chosen. Choose one for the card.`
        : `No repository is bound to ${project.name}. The run waits until one is.`;
    case "no_credits":
      return credits === null || credits.left >= credits.needed
        ? "There were too few credits. The run is queued again in a moment."
        : `${credits.left === 0 ? "No credits" : plural(credits.left, "credit")} left, ${credits.needed} needed.`;
    case "runner_vanished":
      return attempt > 1 ? "Its runners vanished, twice." : "Its runner vanished.";
    case "run_limit":
      return "It did not end within two hours.";
    case "queue_limit":
      return "Nobody took it within a day.";
    default:
      return `${(reason ?? "").replaceAll("_", " ")}.`;
  }
}

/** "13:20", with the date in front of it when that is not today. */
function since(time: string): string {
  const today = day(Date.now());
  return day(time) === today ? clock(time) : `${day(time)}, ${clock(time)}`;
}

const alive = ["queued", "waiting", "claimed", "running"];

export function isAlive(state: string): boolean {
  return alive.includes(state);
}
