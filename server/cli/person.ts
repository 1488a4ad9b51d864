import { limits } from "../../openapi/schema/limits.ts";
import type { FoundPerson, PersonQuery } from "../../openapi/schema/people.ts";
import type { Context } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { Links } from "../files/links.ts";
import { deletePerson } from "../people/delete-person.ts";
import { exportPerson } from "../people/export-person.ts";
import { findPerson } from "../people/find-person.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { checked, fallback, flag, text, UsageError } from "./options.ts";
import { saveStream } from "./save-stream.ts";
import { withEvents, withSealing } from "./with-store.ts";

const person = {
  "user-id": checked("U", "the person with this user.id in reports", requireValue),
  email: checked("E", "the person with this user.email in reports", requireValue),
};
const exactly =
  "The value must match whole: upper and lower case differ, and no character stands for others. docs/privacy.md says what is found, what is not, and what stays.";

export const personCommands = [
  command({
    name: "person find",
    summary: "count the reports of a person, and what belongs to them",
    options: person,
    example: "intake person find --email ada@example.org",
    notes: exactly,
    async run({ options, io }) {
      const input = queryOf(options);
      io.result(await withSealing(options.data, (ctx, tools) => findPerson({ ctx, tools, input })));
    },
  }),
  command({
    name: "person export",
    summary: "write the reports of a person as JSON Lines, with their envelopes and links to attachments",
    options: { ...person, output: fallback(text("F", "file to write; - is stdout"), "-") },
    example: "intake person export --email ada@example.org --output ada.jsonl",
    notes: exactly,
    async run({ options, io }) {
      const input = queryOf(options);
      const { output } = options;
      const bytes = await withSealing(options.data, (ctx, { sealing }) =>
        saveStream(output, linesOf(ctx, sealing, input)),
      );
      if (output !== "-") io.result({ output, bytes });
    },
  }),
  command({
    name: "person delete",
    summary: "delete the reports of a person with everything that belongs to them",
    options: {
      ...person,
      "dry-run": flag("say what would be deleted, and delete nothing"),
      yes: flag("do not ask for confirmation; needed without a terminal"),
    },
    example: "intake person delete --email ada@example.org --dry-run",
    notes: `${exactly} A killed command goes on when it is run again. When an app sends a deleted report again, it is recognised as a repeat and not stored.`,
    async run({ options, io }) {
      const person = queryOf(options);
      const { deleted, found } = await withEvents(options.data, async (_, tools) =>
        withSealing(options.data, async (ctx, { sealing }) => {
          const found = await findPerson({ ctx, tools: { sealing }, input: person });
          if (options["dry-run"]) return { found, deleted: 0 };
          if (found.reports > 0 && !options.yes) {
            if (!io.interactive) throw new UsageError("reports are deleted for good; say --yes if that is wanted");
            if (!(await io.confirm(questionOf(found)))) throw new CommandFailed("nothing was deleted");
          }
          let deleted = 0;
          for (let reports = found.reports; reports > 0; ) {
            const input = { ...person, reports };
            const done = await deletePerson({ ctx, tools: { ...tools, sealing }, input });
            deleted += done.deleted;
            reports = done.left;
            io.progress(`${deleted} reports deleted`);
          }
          io.progress("");
          return { found, deleted };
        }),
      );
      io.result(options["dry-run"] ? { wouldDelete: found.reports, ...found } : { deleted, code: found.code });
    },
  }),
];

function requireValue(given: string): string {
  if (given === "") throw new Error("must not be empty");
  if ([...given].length > limits.indexValueMax) {
    throw new Error(`must have at most ${limits.indexValueMax} characters; a longer one is found by its first ones`);
  }
  return given;
}

function queryOf({ "user-id": id, email }: { "user-id": string | undefined; email: string | undefined }): PersonQuery {
  if ((id === undefined) === (email === undefined)) throw new UsageError("give either --user-id U or --email E");
  return id === undefined ? { by: "user.email", value: email ?? "" } : { by: "user.id", value: id };
}

function questionOf({ reports, attachments, cards }: FoundPerson): string {
  return `Delete ${reports} reports with ${attachments} attachments for good? ${cards} cards that were made from them keep their text.`;
}

function linesOf(ctx: Context, sealing: Sealing, person: PersonQuery): ReadableStream<Uint8Array> {
  const tools = { sealing, links: new Links(sealing) };
  const encoder = new TextEncoder();
  let cursor: string | undefined;
  return new ReadableStream({
    async pull(controller) {
      // A page is empty when its reports were deleted meanwhile: a stream that is given nothing does not ask again.
      for (let written = false; !written; ) {
        const { items, next } = await exportPerson({ ctx, tools, input: { ...person, cursor } });
        written = items.length > 0;
        if (written) controller.enqueue(encoder.encode(`${items.join("\n")}\n`));
        if (next === null) return controller.close();
        cursor = next;
      }
    },
  });
}
