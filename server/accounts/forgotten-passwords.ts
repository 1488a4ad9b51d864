import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { log } from "../core/log.ts";
import { StoreUnavailable } from "../core/store.ts";
import { queueMail } from "../mail/new-mail.ts";
import { linkStep } from "./invite-member.ts";
import { type LinkMailTools, linkMail } from "./link-mail.ts";
import { newLink } from "./new-link.ts";
import { passwordsCount } from "./password-sign-in.ts";
import type { PasswordThrottle } from "./sign-in-throttle.ts";

/** Requests that are worked on at the same time; one more is dropped. */
const pendingMax = 100;
/** A link that was mailed in this time is the one to use: asking again voids nothing. */
const freshMilliseconds = 10 * 60_000;
/** Links that one address is mailed in a day. */
const perDay = 5;
const dayMilliseconds = 86_400_000;

const visitor = { kind: "visitor", name: "not signed in" } as const;

type Known = Omit<Context, "actor">;

/**
 * Mails a link for a new password to whoever asks with the address of a member. A request is answered before the address
 * is looked up, so that neither the answer nor its time tells who is a member. The present password goes on to work.
 */
export class ForgottenPasswords {
  readonly #tools: LinkMailTools;
  readonly #throttle: PasswordThrottle;
  readonly #pending = new Set<Promise<void>>();

  constructor(tools: LinkMailTools, throttle: PasswordThrottle) {
    this.#tools = tools;
    this.#throttle = throttle;
  }

  /** `address`: the source address, in the form in which rate limits count it. Throws when too many asked. */
  async ask(ctx: Known, input: { email: string; address: string }): Promise<void> {
    const email = input.email.trim().toLowerCase();
    // Each request counts like a wrong password, of an account of its own: it delays no sign-in.
    await this.#throttle.begin({ account: hashOf(`link ${email}`), from: input.address, group: "strangers" });
    if (this.#pending.size >= pendingMax) return;
    const working: Promise<void> = this.#mail(ctx, email)
      .catch((error) => {
        if (!(error instanceof StoreUnavailable)) log.warn("a link for a new password was not made", { error });
      })
      .finally(() => this.#pending.delete(working));
    this.#pending.add(working);
  }

  /** Waits for the requests that were answered. */
  async flush(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #mail(ctx: Known, email: string): Promise<void> {
    // A new password would be of no use, and its link a way past the provider.
    if (!(await passwordsCount(ctx.store))) return;
    // Whoever has not joined yet has an invitation, which a stranger must not be able to void.
    const member = await ctx.store.one<{ id: string; email: string; name: string }>(
      `select id, email, name from member
       where email = $1 and removed_at is null and role <> 'agent' and joined_at is not null`,
      [email],
    );
    if (!member) return;
    const link = newLink(ctx, "reset");
    const mail = await linkMail(ctx, this.#tools, link, { member, reason: "forgotten" });
    if (!mail) return;
    const [auditId, now] = [ctx.newId(), ctx.now()];
    await ctx.store.write(function* (tx) {
      const mailed = yield* tx.one<{ newest: number | null; count: number }>(
        `select max(created_at) as newest, cast(count(*) as integer) as count from mail
         where recipient = $1 and kind = 'reset' and created_at > $2`,
        [email, now - dayMilliseconds],
      );
      if (mailed && (mailed.count >= perDay || (mailed.newest ?? 0) > now - freshMilliseconds)) return;
      // Without a mail there is no new link, and an earlier one stays.
      if (!(yield* queueMail(tx, mail))) return;
      yield* linkStep(tx, ctx, member.id, link);
      yield* audit(tx, { ...ctx, actor: visitor }, auditId, "member.forgotten_password", `member ${member.id}`);
    });
    ctx.changed?.({ kind: "member", id: member.id });
  }
}
