import type { Cutoff } from "../core/cutoff.ts";
import { log } from "../core/log.ts";
import { Periodic } from "../core/periodic.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Store } from "../core/store.ts";
import { type ClaimedMail, claimMail, expireMails, releaseMails, retryMails } from "./claim-mail.ts";
import type { MailContent } from "./content.ts";
import { type FailedMail, faultWords, mailFaults } from "./faults.ts";
import { type MailServer, passwordOf, readMailServer } from "./mail-server.ts";
import { bodyAbout } from "./new-mail.ts";
import { purgeMails } from "./purge-mails.ts";
import { type SendTiming, sendMessage } from "./send-message.ts";
import { type SettledMail, settleMail } from "./settle-mail.ts";

const lookMilliseconds = 1_000;
const purgeMilliseconds = 3_600_000;
/** How long a stop waits for the mail that is being sent. */
const stopMilliseconds = 2_000;
/** After a fault of the server no mail is tried for so long: longer with each fault in a row. */
const pauses = [15_000, 60_000, 120_000, 300_000];

export interface MailSenderTools {
  store: Store;
  sealing: Sealing;
  /** Epoch milliseconds. */
  now: () => number;
  newId: () => string;
  cutoff?: Cutoff | undefined;
  /** Certificates that mail servers may have beside the usual ones, PEM. */
  ca: readonly string[];
  /** No other process sends: what is claimed when this one starts was left by an earlier one. */
  alone: boolean;
  /** Called with every mail that was sent, failed or expired. */
  settled?: (settled: SettledMail) => void;
  timing?: SendTiming;
  every?: number;
}

/**
 * Sends the mails that wait, one after the other. A mail is claimed, sent and settled: a process that is killed after
 * the mail server has accepted a mail and before that is written down repeats this one mail, and no other.
 */
export class MailSender {
  readonly #tools: MailSenderTools;
  readonly #looking: Periodic;
  /** What could not be written down while storage was away. Nothing more is sent until it is. */
  #unsettled: { claimed: ClaimedMail; failed: FailedMail | undefined } | undefined;
  #server = "";
  #pause = { faults: 0, until: Number.NEGATIVE_INFINITY };
  #purgedAt = Number.NEGATIVE_INFINITY;
  #stopping = new AbortController();

  constructor(tools: MailSenderTools) {
    this.#tools = tools;
    this.#looking = new Periodic({
      turn: () => this.#turn(),
      every: tools.every ?? lookMilliseconds,
      failed: "mails could not be sent and will be tried again",
    });
  }

  async start(): Promise<void> {
    const { store, now, alone } = this.#tools;
    this.#stopping = new AbortController();
    if (alone && (await this.#waiting())) await releaseMails(store, now());
    this.#looking.start();
  }

  /** Begins no other mail, and gives the one under way 2 s. */
  async stop(): Promise<void> {
    const cutting = setTimeout(() => this.#stopping.abort(), stopMilliseconds);
    await this.#looking.stop();
    clearTimeout(cutting);
  }

  async #turn(): Promise<void> {
    const { store, now } = this.#tools;
    await this.#settleLeft();
    if (performance.now() - this.#purgedAt > purgeMilliseconds) await this.#purge();
    while (!this.#looking.stopped && (await this.#due())) {
      const server = await readMailServer(store);
      if (server) await this.#noticeChange(server);
      if (server === undefined || performance.now() < this.#pause.until) {
        return this.#tellExpired(await expireMails(store, now()));
      }
      const { claimed, expired } = await claimMail(store, { now: now(), lease: this.#tools.newId() });
      this.#tellExpired(expired);
      if (claimed) await this.#send(server, claimed);
    }
  }

  #due(): Promise<object | undefined> {
    return this.#tools.store.one("select 1 as due from mail where state = 'waiting' and next_at <= $1 limit 1", [
      this.#tools.now(),
    ]);
  }

  #waiting(): Promise<object | undefined> {
    return this.#tools.store.one("select 1 as waits from mail where state = 'waiting' limit 1");
  }

  /** New settings are tried at once, with all mails that wait. */
  async #noticeChange(server: MailServer): Promise<void> {
    const { store, now } = this.#tools;
    const known = JSON.stringify({ ...server, password: server.password?.toHex() });
    if (this.#server === known) return;
    const first = this.#server === "";
    this.#server = known;
    this.#pause = { faults: 0, until: Number.NEGATIVE_INFINITY };
    if (!first) await retryMails(store, now());
  }

  async #send(server: MailServer, claimed: ClaimedMail): Promise<void> {
    const failed = await this.#try(server, claimed);
    this.#unsettled = { claimed, failed };
    await this.#settleLeft();
    if (failed && mailFaults[failed.fault].of === "server") this.#pauseAfter(failed);
    else if (this.#pause.faults > 0) {
      this.#pause = { faults: 0, until: Number.NEGATIVE_INFINITY };
      await retryMails(this.#tools.store, this.#tools.now());
    }
  }

  async #try(server: MailServer, claimed: ClaimedMail): Promise<FailedMail | undefined> {
    const { sealing, ca, timing } = this.#tools;
    const content = open(() => JSON.parse(sealing.open(claimed.body, bodyAbout(claimed.id))) as MailContent);
    if (content === undefined) return { fault: "body_unreadable", detail: null };
    const { id, recipient: to, subject, created_at: createdAt } = claimed;
    const { from, name } = server;
    return sendMessage(
      server,
      { id, from, name, to, subject, createdAt, content },
      { password: passwordOf(server, sealing), ca, timing, signal: this.#stopping.signal },
    );
  }

  async #settleLeft(): Promise<void> {
    if (!this.#unsettled) return;
    const { claimed, failed } = this.#unsettled;
    const settled = await settleMail(this.#tools.store, claimed, failed, this.#tools.now());
    this.#unsettled = undefined;
    this.#tools.settled?.(settled);
    if (failed && settled.state === "failed") {
      log.warn("a mail is given up", {
        mail: claimed.id,
        kind: claimed.kind,
        reason: faultWords({ ...failed, detail: null }),
      });
    }
  }

  #pauseAfter(failed: FailedMail) {
    const { fault } = failed;
    if (this.#pause.faults === 0) log.warn("no mail can be sent", { fault, reason: faultWords(failed) });
    const wait = pauses[Math.min(this.#pause.faults, pauses.length - 1)] ?? 0;
    this.#pause = { faults: this.#pause.faults + 1, until: performance.now() + wait };
  }

  #tellExpired(ids: readonly string[]) {
    for (const id of ids) this.#tools.settled?.({ id, state: "expired", fault: null });
  }

  async #purge(): Promise<void> {
    this.#purgedAt = performance.now();
    await purgeMails(this.#tools);
  }
}

function open<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
