import { sessionOf } from "../accounts/session.ts";
import type { Context } from "../core/context.ts";
import type { Limits } from "../core/limiter.ts";
import type { RequestLog } from "../credentials/request-log.ts";
import { originalOf } from "../http/app.ts";
import type { AuthHeader } from "../http/auth-header.ts";
import type { Edge } from "../http/edge.ts";
import type { Listener } from "../http/serve.ts";
import { networkOf, type SourceAddresses } from "../http/source-address.ts";
import type { RecentRequests } from "../live/recent-requests.ts";
import type { Counters } from "../overview/counters.ts";
import type { InFlight } from "./in-flight.ts";
import type { Metrics } from "./metrics.ts";

interface Parts {
  context: Omit<Context, "actor">;
  /** Undefined with `--rate-limits off`. */
  limits: Limits | undefined;
  requestLog: RequestLog;
  metrics: Metrics;
  counters: Counters;
  recentRequests: RecentRequests;
  addresses: SourceAddresses;
  /** Undefined without `--auth-header`. */
  authHeader: AuthHeader | undefined;
  inFlight: InFlight;
  /** Undefined until the server listens. */
  listener: () => Listener | undefined;
  trouble: Edge["trouble"];
  degraded: Edge["degraded"];
  stopping: Edge["stopping"];
  /** True once requests are refused: a load balancer that asks whether this process stops has turned away before. */
  refusing: () => boolean;
}

/** Makes what every route receives from the server: counting, logging, limits, addresses, and failures of storage. */
export function makeEdge(parts: Parts): Edge {
  const {
    context,
    requestLog,
    metrics,
    counters,
    recentRequests,
    addresses,
    inFlight,
    listener,
    trouble,
    degraded,
    stopping,
    refusing,
  } = parts;
  const peerOf = (request: Request) => listener()?.peerOf(originalOf(request));
  const sourceOf = (request: Request) => addresses.of(peerOf(request), request.headers.get("x-forwarded-for"));
  const proxyPersonOf = (request: Request) => parts.authHeader?.personOf(request, peerOf(request));
  return {
    context,
    limiters: parts.limits && limitersOf(parts.limits),
    requestLog,
    sessionOf: (ctx, request) => sessionOf(ctx, request, proxyPersonOf),
    proxyPersonOf,
    answered: (route, status, code, started) => {
      metrics.answered(route, status, code, started);
      if (route === "createTicket" && status >= 400) counters.refused("tickets", "", code);
    },
    addRecent: (api, request, answered) => recentRequests.add(api, request, answered),
    ticketed: (ticket) => counters.ticketed(ticket),
    sdkSeen: (header, authenticated) => metrics.sdkSeen(header, authenticated),
    keepOpen: (request, seconds) => listener()?.keepOpen(originalOf(request), seconds),
    peerOf,
    sourceOf,
    networkOf: (request) => {
      const source = sourceOf(request);
      return source && networkOf(source);
    },
    take: () => !refusing() && inFlight.add(),
    release: () => inFlight.remove(),
    trouble,
    degraded,
    stopping,
  };
}

function limitersOf(limits: Limits): NonNullable<Edge["limiters"]> {
  return {
    credential: limits("credential"),
    runner: limits("runner"),
    address: limits("address"),
    "sign-in": limits("sign-in"),
    stranger: limits("stranger"),
  };
}
