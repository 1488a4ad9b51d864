import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import { hashOf } from "../core/credential.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { assertion } from "../factors/passkey-bodies.ts";
import { challengeCookie, challengeSeconds, newChallenge } from "../factors/passkey-challenge.ts";
import { descriptorsOf, requestOptions } from "../factors/passkey-options.ts";
import { relyingParty } from "../factors/relying-party.ts";
import type { Edge } from "../http/edge.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { limitKeyOf } from "../http/source-address.ts";
import { acceptInvitation, showInvitation } from "./accept-invitation.ts";
import { signInWithPasskey } from "./passkey-sign-in.ts";
import { signInByProxy } from "./proxy-sign-in.ts";
import { finishWithCode } from "./second-code.ts";
import { requireSecondStep, secondStepCookie, secondStepSeconds } from "./second-step.ts";
import type { Visit } from "./session.ts";
import { cookie, cookieSecretsOf, cookiesOf, sessionCookie } from "./session-cookie.ts";
import { type SignInTools, signIn } from "./sign-in.ts";
import { useSignInLink } from "./sign-in-link.ts";

/**
 * The calls with which a session starts: by password and second factor, by passkey, by the word of an access proxy, and
 * by a link: of an invitation, of a reset, which whoever has forgotten a password is mailed, or of the command line.
 */
export function entryRoutes(edge: Edge, tools: SignInTools) {
  /** The source address; empty in tests without a socket. */
  function addressOf(request: Request): string {
    const source = edge.sourceOf(request);
    return source === undefined ? "" : limitKeyOf(source);
  }

  async function limitAddress(request: Request) {
    const address = addressOf(request);
    if (address !== "") await limit(address);
  }

  /** Whom a trusted proxy names is counted apart: all people of an office may come from one address. */
  async function limitProxyPerson(request: Request) {
    const person = edge.proxyPersonOf(request);
    if (person === undefined || person === "unclear") await limitAddress(request);
    else await limit(`proxy ${hashOf(person.email)}`);
  }

  async function limit(address: string) {
    const verdict = await edge.limiters?.["sign-in"].take(address, limits.signInsPerMinute);
    if (verdict && !verdict.admitted) {
      const { seconds } = verdict;
      throw new RateLimited("sign_ins", seconds, `Too many tries. The next one is possible in ${seconds} s.`);
    }
  }

  function secondStepOf(request: Request, now: number) {
    return requireSecondStep(tools.sealing, cookiesOf(request, secondStepCookie), now);
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
        const signedIn = await signIn({
          ctx,
          tools,
          input: { ...body, visit: visitOf(ctx, request), address: addressOf(request), former },
        });
        if ("second" in signedIn) {
          const { second: value, ways } = signedIn;
          headers["set-cookie"] = cookie(request, { name: secondStepCookie, value, seconds: secondStepSeconds });
          return { id: null, second: ways };
        }
        headers["set-cookie"] = sessionCookie(request, signedIn.secret);
        return { id: signedIn.id, second: null };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/code",
      role: "anyone",
      body: closed({ code: Type.String({ maxLength: limits.nameMax }) }),
      admit: limitAddress,
      handle: async ({ ctx, body, request, headers }) => {
        const step = secondStepOf(request, ctx.now());
        const input = { ...body, step, visit: visitOf(ctx, request), former: cookieSecretsOf(request) };
        const { id, secret } = await finishWithCode({ ctx, tools, input });
        headers["set-cookie"] = sessionCookie(request, secret);
        return { id };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/passkey/challenge",
      role: "anyone",
      body: closed({ second: Type.Boolean() }),
      handle: async ({ ctx, body, request, headers }) => {
        const now = ctx.now();
        const step = body.second ? secondStepOf(request, now) : undefined;
        const party = await relyingParty(ctx, request);
        const purpose = step ? "second" : "sign-in";
        const { challenge, cookie: value } = newChallenge(tools.sealing, { purpose, party, of: step?.id ?? "", now });
        headers["set-cookie"] = cookie(request, { name: challengeCookie, value, seconds: challengeSeconds });
        if (!step) return requestOptions(challenge, party);
        return requestOptions(challenge, party, await descriptorsOf(ctx.store, step.member), "preferred");
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/passkey",
      role: "anyone",
      body: closed({ second: Type.Boolean(), given: assertion }),
      admit: limitAddress,
      handle: async ({ ctx, body: { second, given }, request, headers }) => {
        const step = second ? secondStepOf(request, ctx.now()) : undefined;
        const cookies = cookiesOf(request, challengeCookie);
        const input = { step, given, cookies, visit: visitOf(ctx, request), former: cookieSecretsOf(request) };
        const { id, secret } = await signInWithPasskey({ ctx, tools, input });
        headers["set-cookie"] = sessionCookie(request, secret);
        return { id };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/proxy",
      role: "anyone",
      body: closed({}),
      admit: limitProxyPerson,
      handle: async ({ ctx, request, headers }) => {
        const input = {
          person: edge.proxyPersonOf(request),
          visit: visitOf(ctx, request),
          former: cookieSecretsOf(request),
        };
        const { id, secret } = await signInByProxy({ ctx, input });
        headers["set-cookie"] = sessionCookie(request, secret);
        return { id };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/forgotten-password",
      role: "anyone",
      body: closed({ email: Type.String({ maxLength: limits.emailMax }) }),
      admit: limitAddress,
      handle: async ({ ctx, body, request }) => {
        await tools.forgotten.ask(ctx, { ...body, address: addressOf(request) });
        return {};
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/session/link",
      role: "anyone",
      body: closed({ secret: Type.String() }),
      admit: limitAddress,
      handle: async ({ ctx, body, request, headers }) => {
        const input = { ...body, visit: visitOf(ctx, request), former: cookieSecretsOf(request) };
        const { id, secret } = await useSignInLink({ ctx, input });
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
        const session = await acceptInvitation({ ctx, input: { ...body, visit: visitOf(ctx, request) } });
        if (session) headers["set-cookie"] = sessionCookie(request, session.secret);
        return { id: session?.id ?? null };
      },
    }),
  ] as const;
}

export function visitOf({ network }: { network?: string }, request: Request): Visit {
  return { userAgent: request.headers.get("user-agent"), network };
}
