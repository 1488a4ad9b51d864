import { Database } from "bun:sqlite";
import type { RowCount } from "../row-count.ts";

interface Counted {
  name: string;
  answers: number;
  refusals: number;
  subscribers: number;
  /** Those that accept everything: each report is owed to each of them. */
  healthy: number;
  /** First POSTs at those. */
  arrived: number;
}

/** Counts the events and deliveries of a stopped server. */
export function countDeliveries(
  database: string,
  { name, answers, refusals, subscribers, healthy, arrived }: Counted,
): RowCount {
  const db = new Database(database, { readwrite: true });
  const count = (from: string) => db.query<{ n: number }, []>(`select count(*) as n from ${from}`).all()[0]?.n ?? 0;
  const [events, deliveries] = [count("event"), count("delivery")];
  db.close();
  const wrong: string[] = [];
  if (refusals > 0) wrong.push(`${refusals} reports were refused`);
  if (events !== answers) wrong.push(`${events} events instead of ${answers}`);
  if (deliveries !== answers * subscribers) wrong.push(`${deliveries} deliveries instead of ${answers * subscribers}`);
  if (arrived !== answers * healthy) wrong.push(`${answers * healthy - arrived} deliveries never arrived`);
  const right = wrong.length === 0;
  return {
    name,
    answers,
    rows: events,
    right,
    explanation: right ? `each arrived at all ${healthy}` : wrong.join(", "),
  };
}
