import { fillDatabase, inserter, patternOf } from "../fill-database.ts";
import type { Installation } from "../intake.ts";
import { startServer } from "../server-process.ts";
import { sendTicket } from "./send-ticket.ts";

const priorities = ["none", "low", "medium", "high"];
const titles = [
  "Nightly build failed on main",
  "Unit tests fail on main: cart totals round half to even instead of away from zero, in all locales",
  "Flaky: checkout times out after 30 seconds while the payment window is still open",
];

/** A board of `rows` cards, as many in each column, with all that a card may show. */
export async function fillBoard({ serve, log, token, database, columnIds }: Installation, rows: number) {
  const { url, stop } = await startServer(serve(0), log);
  await sendTicket({ url, token }, "Nightly build failed on main");
  await stop();
  fillDatabase(database, { rows, what: "cards" }, (db) => {
    const ticket = patternOf(db, "ticket");
    const [add, addActivity] = [inserter(db, "ticket"), inserter(db, "activity")];
    const activity = patternOf(db, "activity");
    const [time, place] = [Number(ticket["created_at"]), Number(ticket["position"])];
    return (i) => {
      const id = Bun.randomUUIDv7("hex", time - rows + i);
      add({
        ...ticket,
        id,
        title: `${titles[i % titles.length]} #${i}`,
        priority: priorities[i % priorities.length] ?? "none",
        due_at: i % 5 === 0 ? "2030-01-31" : null,
        column_id: columnIds[i % columnIds.length] ?? "",
        created_at: time - rows + i,
        position: place + i,
      });
      addActivity({ ...activity, ticket_id: id, at: time - rows + i });
    };
  });
}
