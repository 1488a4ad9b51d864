import { fillDatabase, inserter, patternOf } from "../fill-database.ts";

const hour = 3_600_000;
/** Ended runs of one ticket. */
const runsEach = 5;

/** Runs that wait, each of a ticket of its own. The server has written the first. */
export function fillQueue(database: string, rows: number) {
  fillDatabase(database, { rows, what: "queued runs" }, (db) => {
    const [ticket, run] = [patternOf(db, "ticket"), patternOf(db, "agent_run")];
    const [addTicket, addRun] = [inserter(db, "ticket"), inserter(db, "agent_run")];
    return (i) => {
      const time = Number(run["queued_at"]) + i;
      const id = Bun.randomUUIDv7("hex", time);
      addTicket({ ...ticket, id, number: i + 1 });
      addRun({ ...run, id: Bun.randomUUIDv7("hex", time), ticket_id: id, queued_at: time });
    };
  });
}

/** Runs that ended long ago, with all that is kept of them. */
export function fillEnded(database: string, rows: number, tokenId: string) {
  fillDatabase(database, { rows: rows + 1, what: "ended runs" }, (db) => {
    const [ticket, run] = [patternOf(db, "ticket"), patternOf(db, "agent_run")];
    const [addTicket, addRun] = [inserter(db, "ticket"), inserter(db, "agent_run")];
    const states = ["succeeded", "succeeded", "failed", "cancelled", "expired"];
    let ticketId = "";
    return (i) => {
      const time = Number(run["queued_at"]) - 24 * hour - rows + i;
      if (i % runsEach === 1) {
        ticketId = Bun.randomUUIDv7("hex", time);
        addTicket({ ...ticket, id: ticketId, number: 1_000_000_000 + i });
      }
      addRun({
        ...run,
        id: Bun.randomUUIDv7("hex", time),
        ticket_id: ticketId,
        state: states[i % states.length] ?? "succeeded",
        lease: crypto.randomUUID(),
        claim_id: crypto.randomUUID(),
        runner_token_id: tokenId,
        runner_name: "machine",
        queued_at: time,
        claimed_at: time,
        started_at: time,
        ended_at: time + hour,
        deadline_at: null,
      });
    };
  });
}
