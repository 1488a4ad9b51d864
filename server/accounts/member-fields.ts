import { limits } from "../../openapi/schema/limits.ts";
import type { Fields } from "../core/fields.ts";

/** What people give a new member. Every use of these fields derives from this table. */
export const memberFields = {
  email: {
    kind: "text",
    column: "email",
    max: limits.emailMax,
    required: true,
    fixed: true,
    flag: { name: "email", placeholder: "E", about: "e-mail address" },
  },
  name: {
    kind: "name",
    column: "name",
    required: true,
    fixed: true,
    flag: { name: "name", placeholder: "N", about: "name" },
  },
  role: {
    kind: "choice",
    column: "role",
    of: ["admin", "member"],
    required: true,
    flag: { name: "role", about: "admins manage everything, members work on boards" },
  },
} as const satisfies Fields;

export type MemberFields = typeof memberFields;

/** What `intake member list` shows of each member, in this order. */
export const memberColumns = ["id", "email", "name", "role"] as const;
