import { createTicket, explain, isWrongUse } from "../../client/src/cli/create-ticket.ts";
import { durationMs, durationRule } from "../../client/src/cli/duration.ts";
import { isIntakeError } from "../../client/src/tickets.ts";
import { listedFields, ticketFields } from "../../openapi/schema/ticket-fields.ts";
import { requireUrl } from "../core/settings.ts";
import { deleteTicket } from "../tickets/delete.ts";
import { listTickets } from "../tickets/list.ts";
import { moveCard } from "../tickets/move.ts";
import { showTicket } from "../tickets/show.ts";
import { requireTitle, updateCard } from "../tickets/update.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { checked, pageOptions, parsed, required, text, UsageError, uuid } from "./options.ts";
import { ticketOptions } from "./ticket-options.ts";
import { tokenFromEnvironment } from "./token-from-environment.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const id = "0198c0de-0000-7000-8000-000000000001";
const { placeholder, help } = ticketFields.title;
const titleOption = required(checked(placeholder, help, requireTitle));

export const ticketCommands = [
  command({
    name: "ticket create",
    summary: "create a ticket over HTTP, for CI jobs and scripts; prints the card's address",
    options: {
      ...ticketOptions,
      title: titleOption,
      "idempotency-key": text("K", "the same key never makes a second ticket; a new UUID when absent"),
      wait: parsed("D", "keep trying this long, such as 90s or 5m; 2m when absent, 0 means one try", requireDuration),
      url: checked("U", "where Intake answers", requireUrl, { env: "INTAKE_URL" }),
    },
    notes:
      "A lost connection, 408, 429 and 5xx are tried again with the same key. The API token is read from INTAKE_TOKEN, or from the file that INTAKE_TOKEN_FILE names; never from a flag.",
    example:
      'INTAKE_URL=https://intake.example.org INTAKE_TOKEN_FILE=token intake ticket create --title "Nightly build failed" --idempotency-key build-7312',
    async run({ options, io }) {
      const { url, wait: waitMs } = options;
      // The address of the server has no default: any program that answers there would receive the token.
      if (url === undefined) throw new UsageError("say where Intake answers, by --url or INTAKE_URL");
      const token = tokenFromEnvironment();
      const note = (text: string) => io.note(text);
      const ticket = await createTicket({ url, token, fields: options, waitMs, note }).catch((error: unknown) => {
        if (!isIntakeError(error)) throw error;
        throw isWrongUse(error) ? new UsageError(explain(error)) : new CommandFailed(explain(error));
      });
      io.result(ticket, ticket.url);
    },
  }),
  command({
    name: "ticket list",
    summary: "list tickets, column by column, from top to bottom",
    options: { project: uuid("P", "only tickets of this project"), ...pageOptions },
    example: "intake ticket list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listTickets({ ctx, input }));
      io.page(page, ["id", ...listColumns, "author", "createdAt"]);
    },
  }),
  command({
    name: "ticket show",
    words: ["ID"],
    summary: "show a ticket with its author, its activity and its agent run",
    example: `intake ticket show ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => showTicket({ ctx, input })));
    },
  }),
  command({
    name: "ticket move",
    words: ["ID"],
    summary: "move a ticket to the top of a column of its project",
    options: { column: required(uuid("C", "the column")) },
    example: `intake ticket move ${id} --column 0198c0de-0000-7000-8000-000000000002`,
    async run({ options, words, io }) {
      const input = { id: wordId(words), columnId: options.column, after: null };
      const { id } = await withStore(options.data, (ctx) => moveCard({ ctx, input }));
      io.result({ id });
    },
  }),
  command({
    name: "ticket update",
    words: ["ID"],
    summary: "rename a ticket",
    options: { title: titleOption },
    example: `intake ticket update ${id} --title "Nightly build fails on arm64"`,
    async run({ options, words, io }) {
      const input = { id: wordId(words), change: { title: options.title } };
      io.result(await withStore(options.data, (ctx) => updateCard({ ctx, input })));
    },
  }),
  command({
    name: "ticket delete",
    words: ["ID"],
    summary: "delete a ticket immediately and for good; its Idempotency-Key still replays the first answer",
    example: `intake ticket delete ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => deleteTicket({ ctx, input })));
    },
  }),
];
/** Fields in the table of `ticket list`. */
const listColumns = listedFields.filter((name) => ticketFields[name].list === "column");

function requireDuration(value: string): number {
  const ms = durationMs(value);
  if (ms === undefined) throw new Error(durationRule);
  return ms;
}
