import type { Fields } from "../core/fields.ts";

/** What people give a board. Every use of these fields derives from this table. */
export const boardFields = {
  projectId: {
    kind: "id",
    column: "project_id",
    required: true,
    fixed: true,
    flag: { name: "project", placeholder: "P", about: "the project" },
  },
  name: {
    kind: "name",
    column: "name",
    required: true,
    label: "Name",
    flag: { name: "name", placeholder: "N", about: "name of the board" },
  },
} as const satisfies Fields;

/** What `intake board list` shows of each board, in this order. */
export const boardColumns = ["id", "projectId", "name", "archivedAt"] as const;
