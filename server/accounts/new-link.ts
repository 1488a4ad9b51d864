import { limits } from "../../openapi/schema/limits.ts";
import type { Context } from "../core/context.ts";
import { newSecret } from "../core/credential.ts";

/** A link with which a member chooses a password, before it is stored. */
export interface NewLink {
  kind: "invite" | "reset";
  secret: string;
  createdAt: number;
  until: number;
}

export function newLink(ctx: Pick<Context, "now">, kind: NewLink["kind"]): NewLink {
  const now = ctx.now();
  const lasts = kind === "invite" ? limits.inviteDays * 86_400_000 : limits.resetMinutes * 60_000;
  return { kind, secret: newSecret(), createdAt: now, until: now + lasts };
}

/** Browsers do not send the part after # to a server, so no log of a proxy contains the secret. */
export function linkPath({ kind, secret }: NewLink): string {
  return `/${kind}#${secret}`;
}
