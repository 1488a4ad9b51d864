import { limits } from "../../openapi/schema/limits.ts";
import type { Fields } from "../core/fields.ts";

/** What people give an SDK key. Every use of a key's fields derives from this table. */
export const keyFields = {
  name: {
    kind: "name",
    column: "name",
    required: true,
    label: "Name",
    help: "For people: which app has it.",
    flag: { name: "name", placeholder: "N", about: `name, up to ${limits.nameMax} characters` },
  },
  projectId: {
    kind: "id",
    column: "project_id",
    required: true,
    fixed: true,
    label: "Project",
    flag: { name: "project", placeholder: "P", about: "project that the reports belong to" },
  },
  limit: {
    kind: "whole",
    column: "requests_per_window",
    min: limits.requestsPerWindowMin,
    max: limits.requestsPerWindowMax,
    default: limits.requestsPerWindow,
    flag: {
      name: "limit",
      placeholder: "N",
      about: `reports in any ${limits.windowSeconds} s (${limits.requestsPerWindow})`,
    },
  },
  origins: {
    kind: "texts",
    column: "origins",
    max: limits.originsMax,
    default: [],
    label: "Origins",
    help: "Of web pages that may send with it, one a line, such as https://shop.example.org. Empty: any. Apps have no origin and are not held back.",
    flag: {
      name: "origin",
      placeholder: "O",
      about: "origin of web pages that may send; without it a new key accepts every origin; repeat for several",
      instead: { name: "any-origin", about: "accept web pages of every origin", changeOnly: true },
    },
  },
} as const satisfies Fields;

export type KeyFields = typeof keyFields;

/** What `intake key list` shows of each key, in this order. */
export const keyColumns = ["id", "name", "projectId", "key", "state", "limit", "origins", "lastUsedAt"] as const;
