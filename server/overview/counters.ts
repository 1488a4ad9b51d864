import type { AnsweredTicket } from "../core/answered-ticket.ts";
import { Periodic } from "../core/periodic.ts";
import type { Store } from "../core/store.ts";
import type { StoredReport } from "../ingest/receive-report.ts";
import type { Settled } from "../webhooks/deliveries/settle.ts";
import { latencyLabel } from "./latency.ts";
import type { Tally } from "./tally.ts";

interface Known {
  projectId: string;
  receivedAt: number;
}

/**
 * The part of an ended attempt that is counted. The answer is left out, so that many attempts can be kept in memory.
 */
interface Ended {
  messageId: string;
  state: "delivered" | "waiting" | "dead";
  accepted: boolean;
  /** The first attempt of a delivery: its start tells how long the report waited. */
  first: boolean;
  startedAt: number;
}

const knownMax = 10_000;
const lookMilliseconds = 500;

/**
 * Turns events of the server (reports, tickets, refusals, attempts) into counts of the tally, from which charts are
 * made.
 */
export class Counters {
  readonly #tally: Tally;
  readonly #store: Store;
  /**
   * Project and time of the newest reports, and of those before them, so that most attempts are counted without a
   * query.
   */
  #newest = new Map<string, Known>();
  #before = new Map<string, Known>();
  #unknown: Ended[] = [];
  readonly #looking = new Periodic({
    turn: () => this.#look(),
    every: lookMilliseconds,
    failed: "some deliveries are missing in charts",
  });

  constructor(tally: Tally, store: Store) {
    this.#tally = tally;
    this.#store = store;
  }

  start() {
    this.#looking.start();
  }

  /** Counts the events that are left; call it before the tally is stopped. */
  async stop(): Promise<void> {
    await this.#looking.wake();
    await this.#looking.stop();
  }

  stored({ projectId, eventId, receivedAt, level, repeat }: StoredReport) {
    if (repeat) return this.#tally.count(projectId, "repeat");
    this.#tally.count(projectId, "report", level ?? "none");
    if (this.#newest.size >= knownMax) {
      this.#before = this.#newest;
      this.#newest = new Map();
    }
    this.#newest.set(eventId, { projectId, receivedAt });
  }

  ticketed({ projectId, tokenId, replayed, mismatch }: AnsweredTicket) {
    this.#tally.count(projectId, replayed ? "replay" : "ticket", tokenId);
    if (mismatch) this.#tally.count(projectId, "mismatch", tokenId);
  }

  /** `code` is the code of the answer; the project is empty where it was unknown. */
  refused(api: "ingest" | "tickets", projectId: string, code: string) {
    this.#tally.count(projectId, "refused", `${api} ${code}`);
  }

  settled({ state, attempted }: Settled) {
    // Another worker has claimed the delivery and counts the attempt.
    if (state === "superseded") return;
    const { claimed, outcome, startedAt, error } = attempted;
    const accepted = outcome === "accepted";
    // An abandoned attempt may never have been sent.
    const first = claimed.number === 1 && error !== "abandoned";
    const ended = { messageId: claimed.messageId, state, accepted, first, startedAt };
    const known = this.#newest.get(ended.messageId) ?? this.#before.get(ended.messageId);
    if (known) return this.#count(ended, known);
    if (this.#unknown.length >= knownMax) return;
    this.#unknown.push(ended);
  }

  async #look(): Promise<void> {
    const unknown = this.#unknown;
    this.#unknown = [];
    for (const ended of unknown) {
      const [event] = await this.#store.all<{ project_id: string; received_at: number }>(
        "select project_id, received_at from event where id in ($1)",
        [ended.messageId],
      );
      if (event) this.#count(ended, { projectId: event.project_id, receivedAt: event.received_at });
    }
  }

  #count({ state, accepted, first, startedAt }: Ended, { projectId, receivedAt }: Known) {
    if (state !== "waiting") this.#tally.count(projectId, state);
    this.#tally.count(projectId, "attempt", accepted ? "accepted" : "failed");
    if (first) this.#tally.count(projectId, "first_post", latencyLabel(Math.max(0, startedAt - receivedAt)));
  }
}
