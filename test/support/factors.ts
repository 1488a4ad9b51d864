import { addMember } from "../../server/accounts/add-member.ts";
import { codeAt } from "../../server/factors/one-time-code.ts";
import { BrowserAtProvider } from "./browser-at-provider.ts";
import { adminHash, adminPassword } from "./installation.ts";
import { SoftPasskey } from "./passkey.ts";
import type { Target } from "./targets.ts";

/** Where passkeys work without a public address: on this machine, by its name. */
export const localOrigin = "http://localhost:3000";

/** A browser without pages at the origin of the installation: its requests say so, and it keeps cookies. */
export class BrowserAtHome extends BrowserAtProvider {
  constructor({ send }: Pick<Target, "send">, origin = localOrigin) {
    super({
      send: (path, init) => send(path, { ...init, headers: { origin, ...(init?.headers as Record<string, string>) } }),
    });
  }

  /** The answer's body; throws for a refusal. */
  async ask<Answer = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.call(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Answer;
  }
}

/** A member who has joined and has the password {@link adminPassword}. */
export async function joined(
  { installation: { ctx } }: Pick<Target, "installation">,
  role: "admin" | "member" = "member",
) {
  const email = `${crypto.randomUUID()}@example.org`;
  const { id } = await addMember({ ctx, input: { email, name: "Ada", role } });
  await ctx.store.write(function* (tx) {
    yield* tx.run("update member set password_hash = $2, joined_at = 1 where id = $1", [id, adminHash]);
    yield* tx.run("delete from invitation where member_id = $1", [id]);
  });
  return { id, email, password: adminPassword };
}

/** A browser in which somebody has given the right password. */
export async function withPassword(target: Target, { email, password }: { email: string; password: string }) {
  const browser = new BrowserAtHome(target);
  const answer = await browser.ask<{ id: string | null; second: unknown }>("POST", "/internal/session", {
    email,
    password,
  });
  return { browser, ...answer };
}

/** The present code of an app. It counts for at least the next thirty seconds. */
export function presentCode(secret: string): string {
  return codeAt(secret, Math.floor(Date.now() / 30_000));
}

/** Enrols an authenticator app; its secret, and the recovery codes that came with it. */
export async function enrolApp(browser: BrowserAtHome): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret, sealed } = await browser.ask<{ secret: string; sealed: string }>(
    "POST",
    "/internal/me/app/secret",
    {},
  );
  const { recoveryCodes } = await browser.ask<{ recoveryCodes: string[] | null }>("POST", "/internal/me/app", {
    sealed,
    code: presentCode(secret),
  });
  return { secret, recoveryCodes: recoveryCodes ?? [] };
}

/** Lets the app's present code count again, so that a test need not wait for the next one. */
export async function forgetUsedCodes({ installation: { ctx } }: Pick<Target, "installation">, memberId: string) {
  await ctx.store.write((tx) => tx.run("update totp set used_step = 0 where member_id = $1", [memberId]));
}

/** Enrols a passkey. */
export async function enrolPasskey(browser: BrowserAtHome, origin = localOrigin) {
  const passkey = new SoftPasskey();
  const options = await browser.ask<Parameters<SoftPasskey["create"]>[0]>(
    "POST",
    "/internal/me/passkeys/challenge",
    {},
  );
  const made = passkey.create(options, origin);
  const { id, recoveryCodes } = await browser.ask<{ id: string; recoveryCodes: string[] | null }>(
    "POST",
    "/internal/me/passkeys",
    { name: "Laptop", made },
  );
  return { passkey, id, recoveryCodes };
}

export type PasskeyOptions = Parameters<SoftPasskey["get"]>[0];
