import { levels } from "../../openapi/schema/ingest.ts";
import { deleteEvent, deleteEventsOfUser } from "../ingest/delete-events.ts";
import { listEvents } from "../ingest/list-events.ts";
import { readAttachment, readEnvelope } from "../ingest/read-event.ts";
import { showEvent } from "../ingest/show-event.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import type { Io } from "./io.ts";
import { readMoment } from "./moment.ts";
import { choice, pageOptions, parsed, required, text, UsageError, uuid } from "./options.ts";
import { withEvents, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const output = text("F", "file to write; - is stdout");
const id = "0198c0de-0000-7000-8000-000000000001";

export const eventCommands = [
  command({
    name: "event list",
    summary: "list the stored reports of a project, newest first",
    options: {
      project: required(uuid("P", "the project")),
      type: text("T", "only reports of this type (type)"),
      level: choice(levels, "only reports of this level"),
      environment: text("E", "only reports from this environment (app.environment)"),
      release: text("R", "only reports of this release (app.version)"),
      user: text("U", "only reports of this person (user.id or user.email)"),
      since: parsed(
        "T",
        "only reports received at or after this time, ISO 8601 (UTC unless it has an offset)",
        readMoment,
      ),
      until: parsed("T", "only reports received before this time", readMoment),
      ...pageOptions,
    },
    example: `intake event list --project ${id} --level fatal --since 2026-05-01`,
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listEvents({ ctx, input }));
      io.page(page, ["id", "receivedAt", "type", "level", "title", "release", "environment", "repeatCount", "bytes"]);
    },
  }),
  command({
    name: "event show",
    words: ["ID"],
    summary: "show a stored report with its attachments, repeats and warnings",
    example: `intake event show ${id}`,
    async run({ options, words, io }) {
      io.result(await withStore(options.data, (ctx) => showEvent({ ctx, input: { id: wordId(words) } })));
    },
  }),
  command({
    name: "event envelope",
    words: ["ID"],
    summary: "write the envelope of a report to a file, uncompressed, byte for byte as the app sent it",
    options: { output: required(output) },
    example: `intake event envelope ${id} --output report.json`,
    async run({ options, words, io }) {
      const bytes = await withStore(options.data, (ctx) => readEnvelope({ ctx, input: { id: wordId(words) } }));
      await save(io, options.output, bytes);
    },
  }),
  command({
    name: "event attachment",
    words: ["ID", "N"],
    summary: "write an attachment of a report to a file, byte for byte; N counts from 0 in order of arrival",
    options: { output: required(output) },
    example: `intake event attachment ${id} 0 --output screen.png`,
    async run({ options, words, io }) {
      const [, n = ""] = words;
      if (!/^\d{1,3}$/.test(n)) throw new UsageError("N must be a whole number, from 0");
      const input = { id: wordId(words), index: Number(n) };
      const bytes = await withEvents(options.data, (ctx, { files }) => readAttachment({ ctx, files, input }));
      await save(io, options.output, bytes);
    },
  }),
  command({
    name: "event delete",
    words: ["[ID]"],
    summary: "delete a stored report with its attachments, or every report of a person with --user",
    options: {
      user: text("U", "delete every report of this person (user.id or user.email) instead of one by ID"),
      project: uuid("P", "with --user: only in this project"),
    },
    example: `intake event delete --user ada@example.org`,
    notes:
      "When an app sends a deleted report again, it is recognised as a repeat and not stored. --user must match exactly: upper and lower case differ, and so do a number and its text.",
    async run({ options, words, io }) {
      const { user, project: projectId } = options;
      if ((user === undefined) === (words.length === 0)) throw new UsageError("give either ID or --user U");
      if (user === undefined) {
        if (projectId !== undefined) throw new UsageError("--project goes with --user");
        const input = { id: wordId(words) };
        return io.result(await withEvents(options.data, (ctx, tools) => deleteEvent({ ctx, tools, input })));
      }
      const progress = (deleted: number) => io.progress(`${deleted} reports deleted`);
      const deleted = await withEvents(options.data, (ctx, tools) =>
        deleteEventsOfUser({ ctx, tools, input: { user, projectId }, progress }),
      );
      io.progress("");
      io.result(deleted);
    },
  }),
];

async function save(io: Io, path: string, bytes: Uint8Array): Promise<void> {
  try {
    const written = await Bun.write(path === "-" ? Bun.stdout : path, bytes, { createPath: false });
    if (path !== "-") io.result({ output: path, bytes: written });
  } catch (error) {
    const { code = "unknown reason" } = error as { code?: string };
    if (path === "-" && code === "EPIPE") return;
    throw new CommandFailed(`cannot write ${path} (${code})`);
  }
}
