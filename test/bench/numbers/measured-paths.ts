const request = ["server/core", "server/credentials", "server/http", "server/store", "openapi/schema"];

/** What each bench measures: its numbers are old when any of these has changed since. */
export const measuredPaths: Record<string, readonly string[]> = {
  tickets: [...request, "server/tickets", "server/activity", "server/app", "server/live"],
  ingest: [...request, "server/ingest", "server/envelope", "server/files"],
  webhooks: [...request, "server/webhooks", "server/ingest"],
  runs: [...request, "server/agents"],
  postgres: [...request, "server/tickets", "server/activity", "server/app"],
  client: ["client/src"],
  dashboard: [...request, "server/dashboard", "server/boards", "server/reports", "server/live", "server/search"],
};
