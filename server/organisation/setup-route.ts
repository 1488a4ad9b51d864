import { Type } from "@sinclair/typebox";
import { visitOf } from "../accounts/entry-route.ts";
import { newSession } from "../accounts/session.ts";
import { sessionCookie } from "../accounts/session-cookie.ts";
import { Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { createOrganisation } from "./create-organisation.ts";
import type { SetupSecrets } from "./setup-link.ts";

interface SetupState {
  /** `done`: there is an organisation. `closed`: there is none, and no link that opens it. */
  state: "open" | "closed" | "done";
  /** Seconds until the link expires, while the state is `open`. */
  seconds?: number;
  /** The public address when a flag or the environment sets it: then the page does not ask for one. */
  publicUrl?: string;
}

const visitor = { kind: "visitor", name: "setup link" } as const;

/**
 * Routes that create the first organisation with a setup link: whoever can read the server's terminal or data directory
 * becomes its admin. `done` is called once the organisation is there.
 */
export function setupRoutes(secrets: SetupSecrets, done: () => Promise<void>) {
  const requireOpen = async () => {
    if ((await secrets.left()) === 0) throw closedLink();
  };
  return [
    internalRoute({
      method: "GET",
      path: "/internal/setup",
      role: "anyone",
      handle: async ({ ctx }): Promise<SetupState> => {
        if (await ctx.store.one("select id from organisation")) return { state: "done" };
        const left = await secrets.left();
        if (left === 0) return { state: "closed" };
        const { fixed } = ctx.publicUrl;
        return {
          state: "open",
          seconds: Math.floor(left / 1_000),
          ...(fixed === undefined ? {} : { publicUrl: fixed }),
        };
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/setup",
      role: "anyone",
      body: closed({
        secret: Type.String(),
        organisation: Type.String(),
        email: Type.String(),
        password: Type.String(),
        publicUrl: Type.Optional(Type.String()),
      }),
      // The body of a request is read only while a link is open.
      admit: requireOpen,
      handle: async ({ ctx, body, request, headers }) => {
        if (!(await secrets.has(hashOf(body.secret)))) throw closedLink();
        const session = newSession(ctx);
        const made = await createOrganisation({
          ctx: { ...ctx, actor: visitor },
          input: {
            organisation: body.organisation,
            adminEmail: body.email,
            adminPassword: body.password,
            publicUrl: ctx.publicUrl.fixed === undefined ? body.publicUrl : undefined,
            session: { ...session, visit: visitOf(ctx, request) },
          },
        });
        await done();
        headers["set-cookie"] = sessionCookie(request, session.secret);
        ctx.changed?.({ kind: "organisation", id: made.organisation.id });
        return made;
      },
    }),
  ] as const;
}

function closedLink(): Refusal {
  return new Refusal(
    "permission_denied",
    "Setup links work once and for 30 minutes. Restart `intake serve` to print a new one.",
  );
}
