import type { Settled } from "../fanout/settle.ts";
import type { StoredReport } from "../ingest/receive-report.ts";
import { log } from "../ops/log.ts";
import type { Store } from "../store/store.ts";
import { latencyLabel } from "./latency.ts";
import type { Tally } from "./tally.ts";

/** A request for a ticket that was answered with one. */
export interface AnsweredTicket {
  tokenId: string;
  projectId: string;
  replayed: boolean;
  mismatch: boolean;
}

interface Known {
  projectId: string;
  receivedAt: number;
}

const knownMax = 10_000;
const lookMilliseconds = 500;

/** What is counted for charts, and how: the one place that knows all of it. */
export class Counters {
  readonly #tally: Tally;
  readonly #store: Store;
  /** The newest reports, and those before them: what deliveries say of them has to be known without looking. */
  #newest = new Map<string, Known>();
  #before = new Map<string, Known>();
  #unknown: Settled[] = [];
  #looking: Timer | undefined;

  constructor(tally: Tally, store: Store) {
    this.#tally = tally;
    this.#store = store;
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

  /** `code` is that of the answer; the project is empty where none was known. */
  refused(api: "ingest" | "tickets", projectId: string, code: string) {
    this.#tally.count(projectId, "refused", `${api} ${code}`);
  }

  settled(settled: Settled) {
    const { messageId } = settled.attempted.claimed;
    const known = this.#newest.get(messageId) ?? this.#before.get(messageId);
    if (known) return this.#count(settled, known);
    if (this.#unknown.length >= knownMax || !matters(settled)) return;
    this.#unknown.push(settled);
    this.#looking ??= setTimeout(() => void this.#look(), lookMilliseconds);
    this.#looking.unref();
  }

  async #look(): Promise<void> {
    this.#looking = undefined;
    const unknown = this.#unknown;
    this.#unknown = [];
    try {
      for (const settled of unknown) {
        const [event] = await this.#store.all<{ project_id: string; received_at: number }>(
          "select project_id, received_at from event where id in ($1)",
          [settled.attempted.claimed.messageId],
        );
        if (event) this.#count(settled, { projectId: event.project_id, receivedAt: event.received_at });
      }
    } catch (error) {
      log.warn("some deliveries are missing in charts", { error });
    }
  }

  #count(settled: Settled, { projectId, receivedAt }: Known) {
    const { state, attempted } = settled;
    if (state === "delivered" || state === "dead") this.#tally.count(projectId, state);
    if (!isFirst(settled)) return;
    this.#tally.count(projectId, "first_post", latencyLabel(Math.max(0, attempted.startedAt - receivedAt)));
  }
}

function matters(settled: Settled): boolean {
  return settled.state === "delivered" || settled.state === "dead" || isFirst(settled);
}

/** What was given up was perhaps never sent. */
function isFirst({ state, attempted }: Settled): boolean {
  return state !== "superseded" && attempted.claimed.number === 1 && attempted.error !== "abandoned";
}
