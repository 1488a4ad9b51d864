import { limits } from "../../openapi/schema/limits.ts";
import { newBody } from "../http/field-bodies.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf, oneOf } from "../http/internal-schema.ts";
import { addMember } from "./add-member.ts";
import { endMemberSessions } from "./end-sessions.ts";
import { inviteMember } from "./invite-member.ts";
import type { LinkMailTools } from "./link-mail.ts";
import { listMemberNames, listMembers } from "./list-members.ts";
import { listMemberSessions } from "./list-sessions.ts";
import { memberFields } from "./member-fields.ts";
import { removeMember } from "./remove-member.ts";
import { resetFactors } from "./reset-factors.ts";
import { restoreMember } from "./restore-member.ts";
import { revokeInvitation } from "./revoke-invitation.ts";
import { setRole } from "./set-role.ts";

/** Routes of the page Settings, Members. Every member may read the names. */
export function memberRoutes(tools: LinkMailTools) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/members",
      role: "admin",
      handle: ({ ctx, query }) =>
        listMembers({ ctx, input: { cursor: query.get("cursor") ?? undefined, limit: limits.pageMax, removed: true } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/members/names",
      role: "member",
      handle: ({ ctx }) => listMemberNames({ ctx }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/members",
      role: "admin",
      sensitive: true,
      body: newBody(memberFields),
      handle: ({ ctx, body }) => addMember({ ctx, tools, input: body }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/members/:id",
      role: "admin",
      sensitive: true,
      body: closed({ role: oneOf(memberFields.role.of) }),
      handle: ({ ctx, params, body }) => setRole({ ctx, input: { id: idOf(params), ...body } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/members/:id/invite",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: ({ ctx, params }) => inviteMember({ ctx, tools, input: { id: idOf(params), reset: false } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/members/:id/invite",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) => revokeInvitation({ ctx, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/members/:id/reset",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: ({ ctx, params }) => inviteMember({ ctx, tools, input: { id: idOf(params), reset: true } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/members/:id/reset-factors",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: ({ ctx, params }) => resetFactors({ ctx, tools, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/members/:id",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) => removeMember({ ctx, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/members/:id/sessions",
      role: "admin",
      handle: ({ ctx, session, params }) => listMemberSessions({ ctx, input: { id: idOf(params), session } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/members/:id/sessions",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) => endMemberSessions({ ctx, input: { id: idOf(params) } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/members/:id/sessions/:session",
      role: "admin",
      sensitive: true,
      handle: ({ ctx, params }) =>
        endMemberSessions({ ctx, input: { id: idOf(params), session: idOf(params, "session") } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/members/:id/restore",
      role: "admin",
      sensitive: true,
      body: closed({}),
      handle: ({ ctx, params }) => restoreMember({ ctx, tools, input: { id: idOf(params) } }),
    }),
  ] as const;
}
