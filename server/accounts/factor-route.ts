import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { beginApp, enrolApp } from "../factors/enrol-app.ts";
import { beginPasskey, enrolPasskey } from "../factors/enrol-passkey.ts";
import { listFactors } from "../factors/list-factors.ts";
import { assertion, registration } from "../factors/passkey-bodies.ts";
import { challengeCookie, challengeSeconds, newChallenge } from "../factors/passkey-challenge.ts";
import { descriptorsOf, requestOptions } from "../factors/passkey-options.ts";
import { relyingParty } from "../factors/relying-party.ts";
import { removeFactor } from "../factors/remove-factor.ts";
import { renamePasskey } from "../factors/rename-passkey.ts";
import { renewRecoveryCodes } from "../factors/renew-recovery-codes.ts";
import type { Edge } from "../http/edge.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed, idOf } from "../http/internal-schema.ts";
import { confirmPasskey } from "./confirm-passkey.ts";
import { confirmPassword } from "./confirm-password.ts";
import { cookie, cookiesOf } from "./session-cookie.ts";
import type { SignInTools } from "./sign-in.ts";

const nameText = Type.String({ maxLength: limits.nameMax });
const codeText = Type.String({ maxLength: limits.nameMax });

/** Routes with which members manage their own factors, and prove with them again who they are. */
export function factorRoutes({ context }: Pick<Edge, "context">, tools: SignInTools) {
  return [
    internalRoute({
      method: "POST",
      path: "/internal/session/password",
      role: "member",
      enrolling: true,
      body: closed({ password: Type.String({ maxLength: limits.passwordMax }), code: Type.Optional(codeText) }),
      handle: ({ ctx, session, body }) => confirmPassword({ ctx, tools, input: { session, ...body } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/confirm/challenge",
      role: "member",
      body: closed({}),
      handle: async ({ ctx, session, request, headers }) => {
        const party = await relyingParty(context, request);
        const of = session.id;
        const begun = newChallenge(tools.sealing, { purpose: "confirm", party, of, now: ctx.now() });
        headers["set-cookie"] = heldBy(request, begun.cookie);
        return requestOptions(begun.challenge, party, await descriptorsOf(ctx.store, session.member.id));
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/confirm/passkey",
      role: "member",
      body: assertion,
      handle: ({ ctx, session, body, request }) =>
        confirmPasskey({ ctx, tools, input: { session, given: body, cookies: cookiesOf(request, challengeCookie) } }),
    }),
    internalRoute({
      method: "GET",
      path: "/internal/me/factors",
      role: "member",
      enrolling: true,
      handle: ({ ctx, session }) => listFactors({ ctx, input: { session } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/app/secret",
      role: "member",
      sensitive: true,
      enrolling: true,
      body: closed({}),
      handle: ({ ctx, session }) => beginApp({ ctx, tools, input: { session } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/app",
      role: "member",
      sensitive: true,
      enrolling: true,
      body: closed({ sealed: Type.String({ maxLength: 1_000 }), code: codeText }),
      handle: ({ ctx, session, body }) => enrolApp({ ctx, tools, input: { session, ...body } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/me/app",
      role: "member",
      sensitive: true,
      handle: ({ ctx, session }) => removeFactor({ ctx, tools, input: { session } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/recovery-codes",
      role: "member",
      sensitive: true,
      body: closed({}),
      handle: ({ ctx, session }) => renewRecoveryCodes({ ctx, tools, input: { session } }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/passkeys/challenge",
      role: "member",
      sensitive: true,
      enrolling: true,
      body: closed({}),
      handle: async ({ ctx, session, request, headers }) => {
        const party = await relyingParty(context, request);
        const begun = await beginPasskey({ ctx, tools, input: { session, party } });
        headers["set-cookie"] = heldBy(request, begun.cookie);
        return begun.options;
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/me/passkeys",
      role: "member",
      sensitive: true,
      enrolling: true,
      body: closed({ name: nameText, made: registration }),
      handle: ({ ctx, session, body, request }) => {
        const cookies = cookiesOf(request, challengeCookie);
        return enrolPasskey({ ctx, tools, input: { session, cookies, ...body } });
      },
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/me/passkeys/:id",
      role: "member",
      sensitive: true,
      body: closed({ name: nameText }),
      handle: ({ ctx, session, params, body }) => renamePasskey({ ctx, input: { session, id: idOf(params), ...body } }),
    }),
    internalRoute({
      method: "DELETE",
      path: "/internal/me/passkeys/:id",
      role: "member",
      sensitive: true,
      handle: ({ ctx, session, params }) => removeFactor({ ctx, tools, input: { session, passkey: idOf(params) } }),
    }),
  ] as const;
}

function heldBy(request: Request, value: string): string {
  return cookie(request, { name: challengeCookie, value, seconds: challengeSeconds });
}
