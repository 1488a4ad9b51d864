import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { RateLimited } from "../core/rate-limited.ts";
import type { Edge } from "../http/edge.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { limitKeyOf } from "../http/source-address.ts";
import { acceptInvitation, showInvitation } from "./accept-invitation.ts";
import type { Visit } from "./session.ts";
import { cookieSecretsOf, sessionCookie } from "./session-cookie.ts";
import { type SignInTools, signIn } from "./sign-in.ts";

/** The calls with which a session starts: by password, and by the link of an invitation or a reset. */
export function entryRoutes(edge: Edge, tools: SignInTools) {
  /** The source address; empty in tests without a socket. */
  function addressOf(request: Request): string {
    const source = edge.sourceOf(request);
    return source === undefined ? "" : limitKeyOf(source);
  }

  async function limitAddress(request: Request) {
    const address = addressOf(request);
    if (address === "") return;
    const verdict = await edge.limiters?.["sign-in"].take(address, limits.signInsPerMinute);
    if (verdict && !verdict.admitted) {
      const { seconds } = verdict;
      throw new RateLimited("sign_ins", seconds, `Too many tries. The next one is possible in ${seconds} s.`);
    }
  }

  return [
    internalRoute({
      method: "POST",
      path: "/internal/session",
      role: "anyone",
      body: closed({ email: Type.String(), password: Type.String({ maxLength: limits.passwordMax }) }),
      admit: limitAddress,
      handle: async ({ ctx, body, request, headers }) => {
        const former = cookieSecretsOf(request);
        const { id, secret } = await signIn({
          ctx,
          tools,
          input: { ...body, visit: visitOf(ctx, request), address: addressOf(request), former },
        });
        headers["set-cookie"] = sessionCookie(request, secret);
        return { id };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/invitations/show",
      role: "anyone",
      body: closed({ secret: Type.String() }),
      handle: ({ ctx, body }) => showInvitation({ ctx, input: body }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/invitations/accept",
      role: "anyone",
      body: closed({ secret: Type.String(), name: Type.Optional(Type.String()), password: Type.String() }),
      handle: async ({ ctx, body, request, headers }) => {
        const { id, secret } = await acceptInvitation({ ctx, input: { ...body, visit: visitOf(ctx, request) } });
        headers["set-cookie"] = sessionCookie(request, secret);
        return { id };
      },
    }),
  ] as const;
}

export function visitOf({ network }: { network?: string }, request: Request): Visit {
  return { userAgent: request.headers.get("user-agent"), network };
}
