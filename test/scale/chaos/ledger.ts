/** What was sent with one idempotency key. */
interface SentTicket {
  title: string;
  /** The body of the 201, once there was one. */
  answer?: string;
}

/** What was sent with one report id. */
interface SentReport {
  /** SHA-256 of each attachment, in order. */
  digests: string[];
  /** The event of the 200, once there was one. */
  eventId?: string;
}

/** When a request was sent that took up a place of a limit, and when its answer came. */
export interface Admitted {
  sent: number;
  answered: number;
}

/** All that clients know: what they sent, what was acknowledged, and what they should never have seen. */
export class Ledger {
  readonly tickets = new Map<string, SentTicket>();
  readonly reports = new Map<string, SentReport>();
  /** How many answers there were, by status; `none` for a connection that ended without one. */
  readonly answers = new Map<string, number>();
  /** What the limit of the limited token let through, in order. */
  readonly admitted: Admitted[] = [];
  /** In which PostgreSQL crashed and was started again, with which limits start anew. */
  readonly limitsReset: { from: number; to: number }[] = [];
  /** How often something that was acknowledged was sent again, and answered as the first time. */
  replays = 0;
  readonly #faults = new Map<string, { count: number; example: string }>();

  answered(status: number | "none" | "none of a working process") {
    this.answers.set(`${status}`, (this.answers.get(`${status}`) ?? 0) + 1);
  }

  /** Notes that something went wrong which must not. */
  fault(what: string, example = "") {
    const known = this.#faults.get(what);
    if (known) known.count++;
    else this.#faults.set(what, { count: 1, example });
  }

  faults(): string[] {
    return [...this.#faults].map(
      ([what, { count, example }]) => `${count} × ${what}${example && `, such as ${example}`}`,
    );
  }

  acknowledgedTickets(): [key: string, ticket: Required<SentTicket>][] {
    return [...this.tickets].filter((entry): entry is [string, Required<SentTicket>] => entry[1].answer !== undefined);
  }

  acknowledgedReports(): [id: string, report: Required<SentReport>][] {
    return [...this.reports].filter((entry): entry is [string, Required<SentReport>] => entry[1].eventId !== undefined);
  }
}
