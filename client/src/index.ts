export * from "./ingest.ts";
export * from "./tickets.ts";
