import type { Example } from "../model/openapi.ts";
import { errors } from "../schema/errors.ts";
import type {
  AppendRunLog,
  ClaimedRun,
  ClaimRun,
  CompletedRun,
  CompleteRun,
  Run,
  RunHeartbeat,
  RunLease,
  RunLog,
} from "../schema/runner.ts";

const ticketId = "019a9c1e-6d02-7b1f-8c44-6a2d9be0f0e3";
const runId = "019a9c1e-7a10-7c55-9d02-1f2e3d4c5b6a";
const repositoryId = "019a9c1e-6d00-7f06-b5fb-7091b2d35e64";
const leaseToken = "lease_4f6Zk3vQ1x8uT5sY0bN7cR2dW6eA9fH4gJmPqLtVxZ0";

const claimedRun = {
  id: runId,
  ticketId,
  projectId: "019a9c1e-6d00-7f02-a1b7-3c5d7e9f1a20",
  repositoryId,
  state: "claimed",
  attempt: 1,
  branch: `agent/${ticketId}-${runId}`,
  creditsHeld: 10,
  creditsUsed: 0,
  queuedAt: "2026-11-21T12:30:00.000Z",
} as const satisfies Run;

export const endedRun = {
  ...claimedRun,
  state: "succeeded",
  pullRequestUrl: "https://git.example.org/team/app/pulls/41",
  summary: "The headers of all files name the licence.",
  creditsUsed: 4,
  startedAt: "2026-11-21T12:30:02.114Z",
  endedAt: "2026-11-21T12:41:37.902Z",
} as const satisfies Run;

export const claimRequests = {
  waiting: {
    summary: "Wait for a run, up to 30 seconds",
    value: {
      claimId: "5d1c9f0e-8b51-4f0d-9d35-6f6a0c4f6d11",
      runner: { name: "build-3", version: "1.4.0", labels: ["linux"] },
      waitSeconds: 30,
    } satisfies ClaimRun,
  },
};

export const claimAnswers = {
  claimed: {
    summary: "A run, and what it works on",
    value: {
      run: claimedRun,
      ticket: {
        id: ticketId,
        title: "Update the licence headers",
        description: null,
        url: `http://127.0.0.1:3000/cards/${ticketId}`,
        priority: "none",
        startsAt: null,
        dueAt: null,
      },
      repository: { id: repositoryId, url: "https://git.example.org/team/app.git", baseBranch: null },
      leaseToken,
      heartbeatSeconds: 30,
      deadlineAt: "2026-11-21T14:30:00.000Z",
      creditsHeld: 10,
    } satisfies ClaimedRun,
  },
};

export const heartbeatRequests = {
  progress: {
    summary: "What it does, and what it has used so far",
    value: { leaseToken, progress: "Running the tests", creditsUsed: 2 } satisfies RunHeartbeat,
  },
};

export const heartbeatAnswers = {
  renewed: { summary: "Go on", value: { cancelRequested: false, creditsLeft: 8 } satisfies RunLease },
  cancelled: {
    summary: "Somebody cancelled the run: stop and complete it",
    value: { cancelRequested: true, creditsLeft: 8 } satisfies RunLease,
  },
};

export const logRequests = {
  first: {
    summary: "The beginning of the log",
    value: { leaseToken, offset: 0, text: "$ npm test\n" } satisfies AppendRunLog,
  },
};

export const logAnswers = {
  kept: { summary: "The next text goes to this offset", value: { length: 11, truncated: false } satisfies RunLog },
};

export const completeRequests = {
  succeeded: {
    summary: "With a pull request",
    value: {
      leaseToken,
      outcome: "succeeded",
      summary: endedRun.summary,
      pullRequestUrl: endedRun.pullRequestUrl,
      creditsUsed: 4,
    } satisfies CompleteRun,
  },
  failed: {
    summary: "Without a result",
    value: {
      leaseToken,
      outcome: "failed",
      summary: "The tests fail before any change.",
      creditsUsed: 1,
    } satisfies CompleteRun,
  },
};

export const completeAnswers = {
  completed: { summary: "Whatever else is sent, this is its end", value: { run: endedRun } satisfies CompletedRun },
};

/** An invalid body of a call about a run; every such body has a leaseToken. */
export const invalidRunnerBody: Example = {
  summary: "Every fault of the body is named",
  value: {
    error: "invalid_input",
    message: errors.invalid_input.message,
    details: [{ path: "/leaseToken", code: "required", message: "leaseToken is required." }],
  },
};

export const invalidClaim: Example = {
  summary: "Every fault of the body is named",
  value: {
    error: "invalid_input",
    message: errors.invalid_input.message,
    details: [
      { path: "/claimId", code: "required", message: "claimId is required." },
      { path: "/runner/labels", code: "wrong_type", message: "labels must be a list." },
      { path: "/waitSeconds", code: "bad_value", message: "waitSeconds must be from 0 to 30." },
    ],
  },
};

export const logGap: Example = {
  summary: "A text before this one is missing",
  value: { error: "log_gap", message: "The log has 11 bytes. Send from there.", length: 11 },
};
