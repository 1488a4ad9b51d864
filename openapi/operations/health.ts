import { headerReferences } from "../components/headers.ts";
import { type Answer, type Operation, reference } from "../model/openapi.ts";
import { headersTooLarge, refusals } from "./refusals.ts";

export const getLiveness: Operation = {
  operationId: "getLiveness",
  summary: "Ask whether the process answers",
  description: "For whatever restarts the process when it hangs.",
  tags: ["Health"],
  security: [],
  responses: {
    200: statusAnswer("The process answers.", "Liveness", { live: { status: "live" } }),
    431: headersTooLarge,
    ...refusals("getLiveness"),
  },
};

export const getReadiness: Operation = {
  operationId: "getReadiness",
  summary: "Ask whether the server takes work",
  description:
    "For whatever sends requests its way. It is not ready while storage cannot commit, and once a stop has begun.",
  tags: ["Health"],
  security: [],
  responses: {
    200: statusAnswer("The server takes work.", "Readiness", { ready: { status: "ready" } }),
    503: withRetryAfter(
      statusAnswer("The server takes no work.", "NotReady", {
        locked: { status: "not ready", reason: "the database is locked by another process" },
      }),
    ),
    431: headersTooLarge,
    ...refusals("getReadiness"),
  },
};

function statusAnswer(description: string, schema: string, values: Record<string, unknown>): Answer {
  const examples = Object.entries(values).map(([name, value]) => [name, { summary: description, value }]);
  return {
    description,
    headers: headerReferences(["X-Request-Id"]),
    content: { "application/json": { schema: reference(schema), examples: Object.fromEntries(examples) } },
  };
}

function withRetryAfter(answer: Answer): Answer {
  return { ...answer, headers: headerReferences(["X-Request-Id", "Retry-After"]) };
}
