const titles: Record<string, string> = {
  queued: "Queued",
  waiting: "Waiting",
  claimed: "Claimed",
  running: "Running",
  succeeded: "Pull request opened",
  failed: "Failed",
  cancelled: "Cancelled",
  expired: "Expired",
};

export function runTitle(state: string): string {
  return titles[state] ?? state;
}

const reasons: Record<string, string> = {
  no_runner: "waiting: no runner online",
  no_repository: "waiting: no repository",
  no_credits: "waiting: no credits left",
  agent_missing: "waiting: there is no agent",
};

/** Why it waits or ended so, in a few words. A reason that is newer than this page is told as it is. */
export function reasonText(reason: string): string {
  return reasons[reason] ?? reason.replaceAll("_", " ");
}

const sentences: Record<string, string> = {
  no_runner: "No runner is online. The run starts once one asks for work.",
  no_repository: "No repository is bound to this project, so the run waits until one is.",
  no_credits: "No credits are left, so the run waits until some are granted.",
};

/** The same, for the card itself: a run that waits always says what for. */
export function reasonSentence(reason: string): string {
  return sentences[reason] ?? `${reason.replaceAll("_", " ")}.`;
}

const alive = ["queued", "waiting", "claimed", "running"];

export function isAlive(state: string): boolean {
  return alive.includes(state);
}
