/**
 * The rooms of the server from the bottom up: a room imports rooms that stand before it, never one that stands after
 * it, for values and for types alike. Whoever has to be told of something by a room above is told through a value that
 * `app` passes in.
 */
export const rooms = [
  "text",
  "core",
  "store",
  "http",
  "envelope",
  "files",
  "mail",
  "factors",
  "accounts",
  "credentials",
  "webhooks",
  "providers",
  "activity",
  "agents",
  "tickets",
  "ingest",
  "people",
  "reports",
  "search",
  "boards",
  "overview",
  "live",
  "organisation",
  "notices",
  "mcp",
  "openapi",
  "docs",
  "sdk",
  "dashboard",
  "backup",
  "export",
  "app",
  "cli",
] as const;

/** Imports of types that may go up, each with its reason. */
export const typesUpward = [
  {
    from: "server/dashboard/page/core/api.ts",
    to: "server/app/routes.ts",
    reason: "the page runs in browsers and calls the server over HTTP; its client takes the types of the routes",
  },
] as const;
