import type { Fields } from "../core/fields.ts";

/** What people give a project. Every use of these fields derives from this table. */
export const projectFields = {
  name: {
    kind: "name",
    column: "name",
    required: true,
    label: "Name",
    flag: { name: "name", placeholder: "N", about: "name of the project" },
  },
} as const satisfies Fields;

/** What `intake project list` shows of each project, in this order. */
export const projectColumns = ["id", "name", "createdAt", "archivedAt", "events", "eventBytes"] as const;
