import { answerError } from "./answer.ts";
import type { Edge } from "./edge.ts";

export type Fetch = (request: Request) => Response | Promise<Response>;

/** Answers and counts a request that failed outside every route that would do both itself. */
export function fail(
  edge: Edge,
  route: "edge" | "unknown",
  error: unknown,
  request: Request | undefined,
  headers = {},
): Response {
  const { response, code } = answerError(edge, route, error, request, headers);
  edge.answered(route, response.status, code);
  return response;
}
