import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { grouped } from "./grouped.ts";
import { limits } from "./limits.ts";
import { priorities } from "./ticket-fields.ts";

/**
 * The runner protocol: requests of runners and their answers. Requests are closed: an unknown member is a fault.
 * Answers are open: members may be added.
 */

export const runStates = [
  "queued",
  "waiting",
  "claimed",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "expired",
] as const;
export type RunState = (typeof runStates)[number];

export const runOutcomes = ["succeeded", "failed", "cancelled"] as const;
export type RunOutcome = (typeof runOutcomes)[number];

const leaseToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "The proof of the lease, from the claim.",
});
const creditsUsed = Type.Integer({
  minimum: 0,
  maximum: limits.creditsMax,
  description: "Credits that the run has used so far. At most what is held is taken.",
});

export const ClaimRun = Type.Object(
  {
    claimId: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        "Chosen by the runner, new for each run that it wants. Sent again it gives the same run while its lease lives, so that an answer that was lost loses nothing.",
    }),
    runner: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: limits.nameMax, description: "What people call the machine." }),
        version: Type.String({ maxLength: limits.nameMax, description: "Of its program." }),
        labels: Type.Array(Type.String({ maxLength: limits.nameMax }), {
          maxItems: limits.runnerLabelsMax,
          description: "Whatever tells machines apart, for people.",
        }),
      },
      { additionalProperties: false, description: "The machine." },
    ),
    waitSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.claimWaitSeconds,
        description: "How long to wait for a run when there is none. 0 when absent.",
      }),
    ),
  },
  { additionalProperties: false, description: "A machine asks for a run." },
);
export type ClaimRun = Static<typeof ClaimRun>;

export const RunHeartbeat = Type.Object(
  {
    leaseToken,
    progress: Type.Optional(
      Type.String({ maxLength: limits.runProgressMax, description: "What it does right now, for people." }),
    ),
    creditsUsed: Type.Optional(creditsUsed),
  },
  { additionalProperties: false, description: "A run is worked on." },
);
export type RunHeartbeat = Static<typeof RunHeartbeat>;

export const AppendRunLog = Type.Object(
  {
    leaseToken,
    offset: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Where the text begins in the log of this attempt, in bytes of UTF-8.",
    }),
    text: Type.String({
      maxLength: limits.runLogTextMax,
      description: "What is appended. What the log has already is skipped.",
    }),
  },
  { additionalProperties: false, description: "A piece of the log." },
);
export type AppendRunLog = Static<typeof AppendRunLog>;

export const CompleteRun = Type.Object(
  {
    leaseToken,
    outcome: Type.Unsafe<RunOutcome>({ type: "string", enum: [...runOutcomes], description: "How it ended." }),
    summary: Type.Optional(
      Type.String({ maxLength: limits.runSummaryMax, description: "What was done, for people; Markdown." }),
    ),
    branch: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.runBranchMax, description: "When it is another than the run's." }),
    ),
    pullRequestUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.runUrlMax,
        description: "An https address on the host and below the path of the run's repository.",
      }),
    ),
    creditsUsed,
  },
  { additionalProperties: false, description: "A run has ended." },
);
export type CompleteRun = Static<typeof CompleteRun>;

export const Run = open("A run of the agent. What does not apply is absent.", {
  id: Type.String({ format: "uuid", description: "The run." }),
  ticketId: Type.String({ format: "uuid", description: "The ticket that it works on." }),
  projectId: Type.String({ format: "uuid", description: "Its project." }),
  repositoryId: Type.Optional(Type.String({ format: "uuid", description: "The repository that it works against." })),
  state: Type.Unsafe<RunState>({ type: "string", enum: [...runStates], description: "How far it is." }),
  reason: Type.Optional(
    Type.String({ description: "Why it waits, or ended as it did: no_credits, runner_vanished, run_limit …" }),
  ),
  attempt: Type.Integer({
    minimum: 1,
    description: `Which attempt it is, of ${limits.runAttempts}. A second one is made when the runner of the first vanished.`,
  }),
  branch: Type.String({
    description:
      "The branch to work on, the same in every attempt, so that a pull request is found and not opened twice.",
  }),
  pullRequestUrl: Type.Optional(Type.String({ format: "uri", description: "The pull request that it opened." })),
  summary: Type.Optional(Type.String({ description: "What was done; Markdown." })),
  creditsHeld: Type.Integer({
    minimum: 0,
    description: "Credits that were held for it at its claim; 0 when not limited.",
  }),
  creditsUsed: Type.Integer({ minimum: 0, description: "Credits that it has used, as its runner says." }),
  queuedAt: moment("When it was queued."),
  startedAt: Type.Optional(moment("When its runner began.")),
  endedAt: Type.Optional(moment("When it ended.")),
});
export type Run = Static<typeof Run>;

export const RunTicket = open("The ticket that a run works on.", {
  id: Type.String({ format: "uuid", description: "The ticket." }),
  title: Type.String({ description: "Its title." }),
  description: textOrNull("Its text; Markdown."),
  url: Type.String({ format: "uri", description: "Link to the card." }),
  priority: Type.Unsafe<(typeof priorities)[number]>({
    type: "string",
    enum: [...priorities],
    description: "How urgent it is.",
  }),
  startsAt: textOrNull("A day, YYYY-MM-DD."),
  dueAt: textOrNull("A day, YYYY-MM-DD."),
});
export type RunTicket = Static<typeof RunTicket>;

export const RunRepository = open("The repository that a run works against.", {
  id: Type.String({ format: "uuid", description: "The repository." }),
  url: Type.String({
    description: "Where it is cloned from: https://host/path, ssh://user@host/path or user@host:path.",
  }),
  baseBranch: textOrNull(
    "The branch that work begins from and a pull request is meant for; null: the repository's own default branch.",
  ),
});
export type RunRepository = Static<typeof RunRepository>;

export const ClaimedRun = open("A run that is yours as long as its lease lives.", {
  run: Run,
  ticket: RunTicket,
  repository: Type.Optional(RunRepository),
  leaseToken: Type.String({ description: "The proof of the lease: every later call needs it. Shown this once." }),
  heartbeatSeconds: Type.Integer({
    minimum: 1,
    description: `How often to send a heartbeat. The lease lives for ${limits.leaseSeconds} s after the last one.`,
  }),
  deadlineAt: moment("When the run is ended, whatever it does."),
  creditsHeld: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Credits that are held for it; null while credits are not limited.",
  }),
});
export type ClaimedRun = Static<typeof ClaimedRun>;

export const RunLease = open("The lease lives on, or the run was cancelled.", {
  cancelRequested: Type.Boolean({
    description: "The run was cancelled: stop, and complete it with what it used. Its lease is not renewed any more.",
  }),
  creditsLeft: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    description: "Of those that are held; null while credits are not limited.",
  }),
});
export type RunLease = Static<typeof RunLease>;

export const RunLog = open("The text is kept.", {
  truncated: Type.Boolean({
    description: `The run has written more than ${grouped(limits.runLogBytes)} bytes: what came beyond is not kept. Go on all the same.`,
  }),
  length: Type.Integer({
    minimum: 0,
    description: "Where the log of this attempt ends now, in bytes: the next offset.",
  }),
});
export type RunLog = Static<typeof RunLog>;

export const CompletedRun = open("The run as it ended.", { run: Run });
export type CompletedRun = Static<typeof CompletedRun>;

function open<P extends TProperties>(description: string, members: P) {
  return Type.Object(members, { additionalProperties: true, description });
}

function textOrNull(description: string) {
  return Type.Unsafe<string | null>({ type: ["string", "null"], description });
}

function moment(description: string) {
  return Type.String({ format: "date-time", description: `${description} ISO 8601, UTC, milliseconds.` });
}
