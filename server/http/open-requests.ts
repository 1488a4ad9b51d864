import type { Edge } from "./edge.ts";

/**
 * Bun cuts a connection on which nothing has come for some 10 s, also while the answer is worked out. A call of the page
 * may move ten thousand cards: its connection is kept open until it is answered. Public routes do without, because they
 * do little, can be repeated without harm, and count every microsecond.
 */
const lookMilliseconds = 4_000;
const keepOpenSeconds = 60;

const open = new Map<Request, Edge>();
/** Those that were open at the last look too. */
let seen = new Set<Request>();
let looking: Timer | undefined;

/** Call {@link closeRequest} when the request has its answer. */
export function openRequest(edge: Edge, request: Request) {
  open.set(request, edge);
  if (looking === undefined) looking = look();
}

export function closeRequest(request: Request) {
  open.delete(request);
}

/** One timer for all, while there are any: most begin and end between two looks. */
function look(): Timer {
  const timer = setInterval(() => {
    for (const [request, edge] of open) if (seen.has(request)) edge.keepOpen(request, keepOpenSeconds);
    seen = new Set(open.keys());
    if (open.size > 0) return;
    clearInterval(timer);
    looking = undefined;
  }, lookMilliseconds);
  timer.unref();
  return timer;
}
