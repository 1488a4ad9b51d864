import type { Sealing } from "../core/sealing.ts";
import type { DirectRoute } from "../http/direct-route.ts";
import type { Edge } from "../http/edge.ts";
import { healthRoutes } from "../http/health.ts";
import { type IngestTools, ingestRoutes } from "../ingest/route.ts";
import { ticketRoutes } from "../tickets/route.ts";

/** The routes of health, and of machines that send tickets and reports. They are there before the first request. */
export function directRoutesOf(edge: Edge, ingest: IngestTools, sealing: Sealing): DirectRoute[] {
  return [...healthRoutes(edge, sealing), ...ticketRoutes(edge), ...ingestRoutes(edge, ingest)];
}
