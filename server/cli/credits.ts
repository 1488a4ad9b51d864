import { limits } from "../../openapi/schema/limits.ts";
import { grantCredits } from "../agents/grant-credits.ts";
import { listCredits } from "../agents/list-credits.ts";
import { showCredits } from "../agents/show-credits.ts";
import { command } from "./command.ts";
import { integer, pageOptions, required, text, UsageError } from "./options.ts";
import { withStore } from "./with-store.ts";

export const creditsCommands = [
  command({
    name: "credits grant",
    summary: "grant credits to agent runs; from the first grant on, runs need credits",
    options: {
      amount: required(
        integer("N", "number of credits; --amount=-N takes that many back", {
          min: -limits.creditsMax,
          max: limits.creditsMax,
        }),
      ),
      note: text("T", "reason, kept in the ledger"),
    },
    example: "intake credits grant --amount 500 --note 'December'",
    notes:
      "When a runner claims a run, the credits set for its repository are held. When the run ends, unused credits are returned.",
    async run({ options: { data, amount, note }, io }) {
      if (amount === 0) throw new UsageError("--amount must be a whole number that is not 0");
      io.result(await withStore(data, (ctx) => grantCredits({ ctx, input: { amount, note } })));
    },
  }),
  command({
    name: "credits balance",
    summary: "show how many credits are left, held by runs, and used",
    example: "intake credits balance",
    async run({ options, io }) {
      const credits = await withStore(options.data, (ctx) => showCredits({ ctx }));
      const left = credits.balance === null ? "not limited: nobody has granted any" : credits.balance;
      io.result(credits, `left: ${left}\nheld: ${credits.held}\nused: ${credits.used}`);
    },
  }),
  command({
    name: "credits ledger",
    summary: "list grants, holds and settlements of credits, newest first",
    options: pageOptions,
    example: "intake credits ledger",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listCredits({ ctx, input: options }));
      io.page(page, ["at", "kind", "amount", "balance", "actor", "runId", "attempt", "note"]);
    },
  }),
];
