import { Refusal } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Edge } from "../http/edge.ts";
import { internalRoute } from "../http/internal-route.ts";
import type { Listener, LiveHub } from "./hub.ts";

/** Messages that may wait for a page that reads slowly; beyond it the connection is closed, and the page reconnects. */
const waitingMax = 64;

/**
 * A stream of a session that an access proxy began is closed after so long, and the page opens it again: only a new
 * request tells whether the proxy still names the same person.
 */
const proxyLasts = 50_000;

/** `GET /internal/live`: server-sent events (WHATWG HTML 9.2) that tell an open page what to fetch again. */
export function liveRoutes(edge: Edge, hub: LiveHub, proxyMilliseconds = proxyLasts) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/live",
      role: "member",
      handle: async ({ request, session, query }) => {
        edge.keepOpen(request, 0);
        const since = request.headers.get("last-event-id") ?? query.get("since") ?? undefined;
        const stream = listen(hub, session, since, proxyMilliseconds);
        return new Response(stream, {
          headers: {
            "content-type": "text/event-stream",
            "cache-control": "no-store",
            "x-accel-buffering": "no",
            "x-content-type-options": "nosniff",
            "x-request-id": edge.context.newId(),
          },
        });
      },
    }),
  ] as const;
}

/** How long the page waits before it opens such a stream again; browsers would wait for seconds. */
const proxyRetry = "retry: 200\n\n";

function listen(
  hub: LiveHub,
  session: Session,
  since: string | undefined,
  proxyMilliseconds: number,
): ReadableStream<Uint8Array> {
  let listener: Listener | undefined;
  let ending: Timer | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        listener = {
          role: session.member.role,
          session: session.hash,
          member: session.member.id,
          send(text) {
            if ((controller.desiredSize ?? 0) < 1 - waitingMax) return false;
            controller.enqueue(bytesOf(text));
            return true;
          },
          close: () => {
            clearTimeout(ending);
            controller.close();
          },
        };
        if (!hub.add(listener, since)) throw new Refusal("service_unavailable");
        if (session.method !== "proxy") return;
        listener.send(proxyRetry);
        ending = setTimeout(() => {
          if (listener) hub.end(listener);
        }, proxyMilliseconds);
        ending.unref();
      },
      cancel() {
        clearTimeout(ending);
        if (listener) hub.remove(listener);
      },
    },
    { highWaterMark: 1 },
  );
}

/** Encodes a message once for all pages that it is sent to. */
function bytesOf(text: string): Uint8Array {
  if (text !== latest.text) latest = { text, bytes: encoder.encode(text) };
  return latest.bytes;
}

const encoder = new TextEncoder();
let latest = { text: "", bytes: encoder.encode("") };
