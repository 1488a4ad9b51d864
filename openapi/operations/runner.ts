import { headerReferences } from "../components/headers.ts";
import {
  claimAnswers,
  claimRequests,
  completeAnswers,
  completeRequests,
  heartbeatAnswers,
  heartbeatRequests,
  invalidClaim,
  invalidRunnerBody,
  logAnswers,
  logGap,
  logRequests,
} from "../examples/runner.ts";
import { type Example, type Operation, reference } from "../model/openapi.ts";
import type { ErrorCode } from "../schema/errors.ts";
import { limits } from "../schema/limits.ts";
import type { OperationId } from "../schema/operations.ts";
import { limited, refusals } from "./refusals.ts";

const order = `Needs the scope runs:execute; at most ${limits.runnerRequestsPerWindow} requests in any ${limits.windowSeconds} seconds per token, apart from those for tickets.`;

export const claimRun: Operation = operation("claimRun", {
  summary: "Claim a run",
  description: [
    "Gives the run that has waited longest, of the project within the token's reach whose turn was longest ago. Credits are held for it at once.",
    `Send a heartbeat every ${limits.heartbeatSeconds} seconds from then on: ${limits.leaseSeconds} seconds after the last one the run counts as lost and is queued once more, or has failed.`,
    "An answer that was lost is asked for again with the same claimId: it gives the same run with a new leaseToken, and the one before is worth nothing.",
  ],
  request: { schema: "ClaimRun", examples: claimRequests },
  answer: {
    schema: "ClaimedRun",
    description: "A run. It is yours as long as its lease lives.",
    examples: claimAnswers,
  },
  special: { invalid_input: { invalid_input: invalidClaim } },
  nothing: "No run waits, and none came while the call waited.",
});

export const heartbeatRun: Operation = operation("heartbeatRun", {
  summary: "Send a heartbeat",
  description: [
    `Keeps the lease for another ${limits.leaseSeconds} seconds and tells people what the run does. The first one begins it.`,
    "With cancelRequested somebody has ended the run: stop, and complete it with what it has used. The lease is renewed no more then.",
  ],
  request: { schema: "RunHeartbeat", examples: heartbeatRequests },
  answer: { schema: "RunLease", description: "The run is still yours.", examples: heartbeatAnswers },
});

export const appendRunLog: Operation = operation("appendRunLog", {
  summary: "Append to the log",
  description: [
    "Each attempt has a log of its own. A text is sent with the offset at which it begins, in bytes of UTF-8, so that a repeat is harmless: what the log has already is skipped. An offset behind its end is log_gap, with length.",
    `Of a run ${limits.runLogBytes.toLocaleString("en")} bytes are kept, all attempts together. A log does not renew the lease.`,
  ],
  request: { schema: "AppendRunLog", examples: logRequests },
  answer: { schema: "RunLog", description: "The text is part of the log.", examples: logAnswers },
  special: { log_gap: { log_gap: logGap } },
});

export const completeRun: Operation = operation("completeRun", {
  summary: "Complete a run",
  description: [
    "Ends the run and settles its credits: what was held goes back, and what was used is taken, at most what was held.",
    "Sent again it answers the same for ever; its first completion stands. After the lease has ended it is accepted as long as nobody else has claimed the run.",
    "pullRequestUrl has to be an https address on the host and below the path of the run's repository; another one is invalid_input.",
  ],
  request: { schema: "CompleteRun", examples: completeRequests },
  answer: { schema: "CompletedRun", description: "The run has ended.", examples: completeAnswers },
});

interface OperationParts {
  summary: string;
  description: string[];
  request: { schema: string; examples: Record<string, Example> };
  answer: { schema: string; description: string; examples: Record<string, Example> };
  special?: Partial<Record<ErrorCode, Record<string, Example>>>;
  /** What 204 means. */
  nothing?: string;
}

function operation(
  id: OperationId,
  { summary, description, request, answer, special, nothing }: OperationParts,
): Operation {
  return {
    operationId: id,
    summary,
    description: [...description, order].join("\n\n"),
    tags: ["Runner"],
    security: [{ apiToken: [] }],
    ...(id === "claimRun" ? {} : { parameters: [{ $ref: "#/components/parameters/RunId" }] }),
    requestBody: {
      required: true,
      description: `In UTF-8. A member that is not known is an error. At most ${limits.ticketBodyBytes.toLocaleString("en")} bytes.`,
      content: { "application/json": { schema: reference(request.schema), examples: request.examples } },
    },
    responses: {
      200: {
        description: answer.description,
        headers: headerReferences(limited),
        content: { "application/json": { schema: reference(answer.schema), examples: answer.examples } },
      },
      ...(nothing === undefined ? {} : { 204: { description: nothing, headers: headerReferences(limited) } }),
      ...refusals(id, { invalid_input: { invalid_input: invalidRunnerBody }, ...special }),
    },
  };
}
