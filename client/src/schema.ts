export type * from "./generated/schema.ts";
