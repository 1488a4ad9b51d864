import { Type } from "@sinclair/typebox";
import type { Session } from "../core/session.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { changePassword } from "./change-password.ts";
import { endSessions } from "./end-sessions.ts";
import { listSessions } from "./list-sessions.ts";
import { acceptNewDevice } from "./new-device.ts";
import { confirmByProxy } from "./proxy-sign-in.ts";
import { renameSelf } from "./rename-self.ts";
import { endedCookie } from "./session-cookie.ts";
import { showSelf } from "./show-self.ts";
import type { SignInTools } from "./sign-in.ts";
import { signOut } from "./sign-out.ts";

/** Where the browser goes to sign out of the session's provider too; undefined for most sessions. */
type SignOutUrl = (session: Session) => Promise<string | undefined>;

/** Routes with which every member manages their own account. */
export function selfRoutes(tools: SignInTools, signOutUrl: SignOutUrl) {
  return [
    internalRoute({
      method: "DELETE",
      path: "/internal/session",
      role: "member",
      enrolling: true,
      handle: async ({ ctx, session, request, headers }) => {
        const url = await signOutUrl(session);
        const { id } = await signOut({ ctx, input: { session } });
        headers["set-cookie"] = endedCookie(request);
        // The access proxy would sign the person in again at once, so the page asks first.
        return { id, url: url ?? (session.method === "proxy" ? "/sign-in?signed-out" : null) };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/proxy/confirm",
      role: "member",
      body: closed({}),
      handle: ({ ctx, session }) => confirmByProxy({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/me",
      role: "member",
      enrolling: true,
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
      body: closed({ current: Type.Optional(Type.String()), password: Type.String() }),
      handle: ({ ctx, session, body }) => changePassword({ ctx, tools, input: { session, ...body } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/sessions",
      role: "member",
      handle: ({ ctx, session }) => listSessions({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/sessions/:id/known",
      role: "member",
      body: closed({}),
      handle: ({ ctx, session, params }) => acceptNewDevice({ ctx, input: { session, id: idOf(params) } }),
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
