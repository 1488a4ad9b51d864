import { limits } from "../../openapi/schema/limits.ts";
import { scopes } from "../../openapi/schema/scopes.ts";
import type { Fields } from "../core/fields.ts";

/** What people give an API token. Every use of a token's fields derives from this table. */
export const tokenFields = {
  name: {
    kind: "name",
    column: "name",
    required: true,
    label: "Name",
    help: "It is the author on the cards it makes.",
    placeholder: "deploy-gate",
    flag: {
      name: "name",
      placeholder: "N",
      about: `name, the author of its tickets, up to ${limits.nameMax} characters`,
    },
  },
  reach: {
    kind: "projects",
    column: "reaches_all",
    required: true,
    label: "Reach",
    empty: "This token will reach nothing.",
    flag: {
      name: "project",
      placeholder: "P",
      about: "a project the token reaches; repeat for several",
      instead: { name: "all-projects", about: "reach every project, later projects included" },
    },
  },
  scopes: {
    kind: "choices",
    column: "scopes",
    of: [
      { value: scopes[0], about: "creates tickets" },
      { value: scopes[1], about: "for machines that execute agent runs; not for CI" },
      { value: scopes[2], about: "counts and reads the reports of a person, by user.id or e-mail" },
      { value: scopes[3], about: "deletes the reports of a person" },
    ],
    default: [scopes[0]],
    label: "Scopes",
    empty: "This token will be refused everything.",
    flag: {
      name: "scope",
      about: `what the token may do; repeat for several (${scopes[0]} when created)`,
      instead: { name: "no-scope", about: "no scope at all" },
    },
  },
  limit: {
    kind: "whole",
    column: "requests_per_window",
    min: limits.requestsPerWindowMin,
    max: limits.requestsPerWindowMax,
    default: limits.requestsPerWindow,
    label: "Requests per minute",
    fact: { label: "Limit", unit: "per minute" },
    help: `${limits.requestsPerWindow} is what the documents promise.`,
    flag: {
      name: "limit",
      placeholder: "N",
      about: `requests in any ${limits.windowSeconds} s (${limits.requestsPerWindow})`,
    },
  },
} as const satisfies Fields;

export type TokenFields = typeof tokenFields;

/** What `intake token list` shows of each token, in this order. */
export const tokenColumns = ["id", "name", "fingerprint", "scopes", "reach", "lastUsedAt", "revokedAt"] as const;
