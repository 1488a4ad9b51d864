import type { SetupLink } from "../access/setup-link.ts";
import { setupRoutes } from "../access/setup-route.ts";
import { tokenRoutes } from "../access/token-route.ts";
import { docsRoutes } from "../docs/route.ts";
import { linkRoutes } from "../fanout/route.ts";
import type { Edge } from "../http/edge.ts";
import { internalRoutes } from "../http/internal.ts";
import type { Composed } from "../http/typed.ts";
import { type IngestTools, ingestRoutes } from "../ingest/route.ts";
import { documentRoutes } from "../openapi/route.ts";
import { ticketRoutes } from "../tickets/route.ts";

/** Every route but those of health, which come with the edge. */
export function routesOf(
  edge: Edge,
  ingest: IngestTools,
  setupLink: () => SetupLink | undefined,
  ingestUrl: string | undefined,
) {
  return [
    ticketRoutes(edge),
    ingestRoutes(edge, ingest),
    setupRoutes(edge, setupLink),
    internalRoutes(edge, tokenRoutes),
    documentRoutes(edge, ingestUrl),
    docsRoutes(edge, ingestUrl),
    linkRoutes(edge, ingest),
  ] as const;
}

/** For Eden, in tests and pages of our own only. Set `parseDate: false`, or a title that looks like a date becomes one. */
export type App = Composed<ReturnType<typeof routesOf>>;
