import { attachment, boundary, envelope, form } from "../../support/ingest.ts";
import type { Deployment, Process } from "./deployment.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";

/** Less than a process may be paused: the client then turns to another one. */
const answerMilliseconds = 5_000;
/** How long a client goes on with what it has begun, once nothing is broken any more. */
const lastMilliseconds = 60_000;

export interface Credentials {
  token: string;
  /** A token with a limit that its clients always run into. */
  limitedToken: string;
  sdkKey: string;
}

export const limitedRequests = 120;

/** An answer that was read whole. */
interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

/** Clients that send without a pause, as careful ones do: what was not acknowledged is sent again, mostly elsewhere. */
export class Clients {
  readonly #deployment: Deployment;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #credentials: Credentials;
  readonly #running: Promise<void>[] = [];
  /** When clients stop beginning something new; undefined while they go on. */
  #stopped: number | undefined;

  constructor(parts: { deployment: Deployment; ledger: Ledger; random: Random; credentials: Credentials }) {
    this.#deployment = parts.deployment;
    this.#ledger = parts.ledger;
    this.#random = parts.random;
    this.#credentials = parts.credentials;
  }

  start() {
    const again = (times: number, one: () => Promise<void>, pause: number) => {
      for (let i = 0; i < times; i++) this.#running.push(this.#repeat(one, pause));
    };
    again(6, () => this.#ticket(), 10);
    again(3, () => this.#report(0), 15);
    again(3, () => this.#report(1 + this.#random.index(2)), 25);
    again(2, () => this.#limited(), 40);
  }

  /** Resolves once everything that was begun is acknowledged, or was not within a minute. */
  async stop(): Promise<void> {
    this.#stopped = performance.now();
    await Promise.all(this.#running);
  }

  /** One ticket at one process: whether it was acknowledged. */
  async probe(process: Process): Promise<boolean> {
    const key = crypto.randomUUID();
    this.#ledger.tickets.set(key, { title: "Probe" });
    return this.#acknowledged(key, await this.createTicket(process, key));
  }

  createTicket(process: Process, key: string): Promise<Answer | undefined> {
    const { title = "" } = this.#ledger.tickets.get(key) ?? {};
    return this.#send(process, "/api/v1/tickets", {
      headers: {
        authorization: `Bearer ${this.#credentials.token}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify({ title }),
    });
  }

  /** Sends a report with this id and these attachments. */
  async sendReport(
    process: Process,
    reportId: string,
    attachments: readonly Uint8Array[],
  ): Promise<Answer | undefined> {
    const text = { reportId, type: "crash", title: `Report ${reportId}`, tags: { round: "chaos" } };
    const parts = [envelope(text), ...attachments.map((bytes, i) => attachment(bytes, i))];
    return this.#send(process, "/api/ingest", {
      headers: {
        authorization: `Bearer ${this.#credentials.sdkKey}`,
        "content-type": `multipart/form-data; boundary=${boundary}`,
        // Of many addresses, as apps are.
        "x-forwarded-for": `10.${this.#random.index(256)}.${this.#random.index(256)}.${this.#random.index(256)}`,
      },
      body: new Uint8Array(form(parts)),
    });
  }

  async #repeat(one: () => Promise<void>, pause: number): Promise<void> {
    while (this.#stopped === undefined) {
      await one();
      await Bun.sleep(this.#random.between(0, 2 * pause));
    }
  }

  async #ticket(): Promise<void> {
    const key = crypto.randomUUID();
    this.#ledger.tickets.set(key, { title: `Ticket ${"x".repeat(this.#random.index(150))}` });
    // Now and then with one key at two processes at once.
    const atOnce = this.#random.next() < 0.1 ? 2 : 1;
    const racing = Array.from({ length: atOnce }, () => this.#untilDone(() => this.#tryTicket(key)));
    if (!(await Promise.all(racing)).every(Boolean))
      return this.#ledger.fault("a ticket was not acknowledged in time", key);
    if (this.#random.next() < 0.3) await this.#tryTicket(key);
  }

  async #tryTicket(key: string): Promise<boolean> {
    return this.#acknowledged(key, await this.createTicket(this.#anywhere(), key));
  }

  #acknowledged(key: string, answer: Answer | undefined): boolean {
    if (answer?.status !== 201) return false;
    const ticket = this.#ledger.tickets.get(key);
    if (!ticket) throw new Error("nothing was sent with this key");
    if (ticket.answer === undefined) ticket.answer = answer.text;
    else if (ticket.answer === answer.text) this.#ledger.replays++;
    else this.#ledger.fault("a replay differs from the first answer", `${ticket.answer} and ${answer.text}`);
    return true;
  }

  async #report(attachments: number): Promise<void> {
    const id = crypto.randomUUID();
    const contents = Array.from({ length: attachments }, () => this.#bytes());
    this.#ledger.reports.set(id, { digests: contents.map((bytes) => Bun.SHA256.hash(bytes, "hex")) });
    const send = () => this.#tryReport(id, contents);
    if (!(await this.#untilDone(send))) return this.#ledger.fault("a report was not acknowledged in time", id);
    if (this.#random.next() < 0.2) await send();
  }

  async #tryReport(id: string, contents: readonly Uint8Array[]): Promise<boolean> {
    const answer = await this.sendReport(this.#anywhere(), id, contents);
    if (answer?.status !== 200) return false;
    this.reportAcknowledged(id, answer);
    return true;
  }

  reportAcknowledged(id: string, { text }: Answer) {
    const report = this.#ledger.reports.get(id);
    if (!report) throw new Error("no report was sent with this id");
    const { eventId, idempotent } = JSON.parse(text) as { eventId: string; idempotent: boolean };
    if (report.eventId === undefined) report.eventId = eventId;
    else if (report.eventId === eventId && idempotent) this.#ledger.replays++;
    else this.#ledger.fault("a repeated report was taken for another one", text);
  }

  /** A ticket of the limited token, without a key: one that is acknowledged took up a place. */
  async #limited(): Promise<void> {
    const sent = performance.now();
    const answer = await this.#send(this.#anywhere(), "/api/v1/tickets", {
      headers: { authorization: `Bearer ${this.#credentials.limitedToken}`, "content-type": "application/json" },
      body: JSON.stringify({ title: "Limited" }),
    });
    if (answer?.status === 201) this.#ledger.admitted.push({ sent, answered: performance.now() });
  }

  /** Tries again and again until it is acknowledged; false when time is over. */
  async #untilDone(attempt: () => Promise<boolean>): Promise<boolean> {
    while (!(await attempt())) {
      if (this.#stopped !== undefined && performance.now() - this.#stopped > lastMilliseconds) return false;
      await Bun.sleep(this.#random.between(20, 150));
    }
    return true;
  }

  /** Undefined when there was no answer. */
  async #send(process: Process, path: string, init: RequestInit): Promise<Answer | undefined> {
    const { disturbed } = process;
    try {
      const signal = AbortSignal.timeout(answerMilliseconds);
      const response = await fetch(process.server.url + path, { method: "POST", ...init, signal });
      const answer = { status: response.status, text: await response.text(), headers: response.headers };
      this.#note(answer);
      return answer;
    } catch {
      // A process is disturbed while the number is odd.
      const worked = disturbed % 2 === 0 && process.disturbed === disturbed;
      this.#ledger.answered(worked ? "none of a working process" : "none");
      return undefined;
    }
  }

  #note({ status, text, headers }: Answer) {
    this.#ledger.answered(status);
    if (![200, 201, 429, 503].includes(status)) this.#ledger.fault(`an answer was ${status}`, text);
    else if (status > 201 && !headers.has("retry-after")) this.#ledger.fault(`a ${status} has no Retry-After`, text);
  }

  #anywhere(): Process {
    return this.#random.pick(this.#deployment.processes);
  }

  #bytes(): Uint8Array {
    const length = Math.floor(
      this.#random.next() < 0.05 ? this.#random.between(1e6, 2e6) : this.#random.between(500, 150_000),
    );
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 65_536) crypto.getRandomValues(bytes.subarray(i, i + 65_536));
    return bytes;
  }
}
