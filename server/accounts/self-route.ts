import { Type } from "@sinclair/typebox";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { changePassword } from "./change-password.ts";
import { confirmPassword } from "./confirm-password.ts";
import { endSessions } from "./end-sessions.ts";
import { listSessions } from "./list-sessions.ts";
import { renameSelf } from "./rename-self.ts";
import { endedCookie } from "./session-cookie.ts";
import { showSelf } from "./show-self.ts";
import type { SignInTools } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";

/** Routes with which every member manages their own account. */
export function selfRoutes(tools: SignInTools) {
  return [
    internalRoute({
      method: "DELETE",
      path: "/internal/session",
      role: "member",
      handle: ({ ctx, session, request, headers }) => {
        headers["set-cookie"] = endedCookie(request);
        return signOut({ ctx, input: { session } });
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/password",
      role: "member",
      body: closed({ password: Type.String() }),
      handle: ({ ctx, session, body }) => confirmPassword({ ctx, tools, input: { session, ...body } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/me",
      role: "member",
      handle: ({ ctx, session }) => showSelf({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/me",
      role: "member",
      body: closed({ name: Type.String() }),
      handle: ({ ctx, session, body }) => renameSelf({ ctx, input: { session, ...body } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/password",
      role: "member",
      body: closed({ current: Type.String(), password: Type.String() }),
      handle: ({ ctx, session, body }) => changePassword({ ctx, tools, input: { session, ...body } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/sessions",
      role: "member",
      handle: ({ ctx, session }) => listSessions({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/sessions/others",
      role: "member",
      handle: ({ ctx, session }) => endSessions({ ctx, input: { session, id: "others" } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/sessions/:id",
      role: "member",
      handle: ({ ctx, session, params }) => endSessions({ ctx, input: { session, id: idOf(params) } }),
    }),
  ] as const;
}
