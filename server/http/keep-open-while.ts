import type { Edge } from "./edge.ts";

const everySeconds = 5;

/**
 * Keeps the connection of a request open while its answer is worked out: Bun cuts one on which nothing has come for some
 * 10 s, and a call of the page may move ten thousand cards, or wait for an identity provider.
 */
export async function keepOpenWhile<T>(
  edge: Pick<Edge, "keepOpen">,
  request: Request,
  work: () => Promise<T>,
): Promise<T> {
  const working = setInterval(() => edge.keepOpen(request, 2 * everySeconds), everySeconds * 1_000);
  try {
    return await work();
  } finally {
    clearInterval(working);
  }
}
