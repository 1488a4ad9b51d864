import type { Context } from "../core/context.ts";
import { Periodic } from "../core/periodic.ts";
import type { Sealing } from "../core/sealing.ts";
import type { SignInMethod } from "../core/session.ts";
import { readStoredPublicUrl } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { type NewMail, newMail, queueMail } from "../mail/new-mail.ts";

/** Sign-ins that a process could not look at when they happened are looked at so much later. */
const lookMilliseconds = 60_000;
const hourMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;
const atOnce = 50;
/** Mails about new sign-ins that one member gets in a day. */
const perDay = 10;

interface WaitingRow extends Row {
  session_id: string;
  member_id: string;
  device: string;
  network: string | null;
  at: number;
  name: string;
  email: string | null;
  method: SignInMethod | null;
}

type Known = Pick<Context, "store" | "now" | "newId" | "publicUrl">;

/**
 * Mails people that somebody has signed in as them with a browser, or from a network, that was not seen before: at most
 * once an hour for the same, and ten times a day. A sign-in is committed before it is looked at here, and looked at
 * once, by whichever process comes first. When it is over an hour old, or there is no mail server, nothing is mailed.
 */
export class NewDeviceMails {
  readonly #ctx: Known;
  readonly #sealing: Sealing;
  readonly #looking: Periodic;

  constructor(ctx: Known, sealing: Sealing) {
    this.#ctx = ctx;
    this.#sealing = sealing;
    this.#looking = new Periodic({
      turn: () => this.#look(),
      every: lookMilliseconds,
      failed: "people could not be told of new sign-ins and will be",
    });
  }

  start() {
    this.#looking.start();
  }

  /** To be called when somebody may have signed in. */
  look(): Promise<void> {
    return this.#looking.wake();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async #look(): Promise<void> {
    const { store } = this.#ctx;
    while (!this.#looking.stopped) {
      const rows = await store.all<WaitingRow>(
        `select n.session_id, n.member_id, n.device, n.network, n.at, m.name, m.email, s.method
         from new_device n join member m on m.id = n.member_id left join session s on s.id = n.session_id
         where n.mail = 'waiting' order by n.at, n.session_id limit ${atOnce}`,
      );
      for (const row of rows) await this.#tell(row);
      if (rows.length < atOnce) return;
    }
  }

  async #tell(row: WaitingRow): Promise<void> {
    const now = this.#ctx.now();
    const mail = row.email === null || Math.abs(now - row.at) > hourMilliseconds ? undefined : await this.#mail(row);
    await this.#ctx.store.write(function* (tx) {
      const taken = yield* tx.one(
        "update new_device set mail = 'quiet' where session_id = $1 and mail = 'waiting' returning session_id",
        [row.session_id],
      );
      if (!taken || !mail) return;
      const told = yield* tx.all<{ device: string; network: string | null; at: number }>(
        `select device, network, at from new_device where member_id = $1 and mail = 'told' and at > $2
         order by at desc, session_id limit ${perDay}`,
        [row.member_id, now - dayMilliseconds],
      );
      const same = told.some(
        ({ device, network, at }) =>
          device === row.device && network === row.network && Math.abs(now - at) < hourMilliseconds,
      );
      if (same || told.length >= perDay || !(yield* queueMail(tx, mail))) return;
      yield* tx.run("update new_device set mail = 'told' where session_id = $1", [row.session_id]);
    });
  }

  async #mail({ name, email, device, network, at, method }: WaitingRow): Promise<NewMail> {
    const { store, publicUrl } = this.#ctx;
    const organisation = (await store.one<{ name: string }>("select name from organisation"))?.name ?? "Intake";
    const url = await readStoredPublicUrl(store, publicUrl);
    const facts = [
      device,
      ...(network === null ? [] : [`from the network ${network}`]),
      ...(method === null ? [] : [methodWords[method]]),
      new Date(at).toUTCString(),
    ];
    return newMail(this.#ctx, this.#sealing, {
      kind: "notice",
      to: email ?? "",
      subject: `A new sign-in to ${organisation} on Intake`,
      text: `Hello ${name},\n\nsomebody has signed in to your account at ${organisation} on Intake with a browser, or from a network, that you have not used here before: ${facts.join(", ")}.\n\nIf it was you, there is nothing to do. If not, end that session, change how you sign in, and tell an admin.`,
      ...(url === undefined ? {} : { link: { url: `${url}/settings/sessions`, label: "See your sessions" } }),
      foot: "You get this mail after a sign-in with a new browser or from a new network, at most once an hour for the same.",
      lasts: dayMilliseconds,
    });
  }
}

const methodWords: Record<SignInMethod, string> = {
  password: "with the password",
  provider: "with an identity provider",
  passkey: "with a passkey",
  link: "with a link",
  proxy: "through the access proxy",
};
