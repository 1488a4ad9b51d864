import { constants, setPriority } from "node:os";
import { resolve } from "node:path";
import { archiveProject } from "../boards/archive.ts";
import { createProject } from "../boards/create-project.ts";
import { deleteProject } from "../boards/delete-project.ts";
import { listProjects } from "../boards/list-projects.ts";
import { projectColumns, projectFields } from "../boards/project-fields.ts";
import { type Context, Refusal } from "../core/context.ts";
import type { Manifest } from "../export/manifest.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { fieldOptions, newGiven } from "./field-options.ts";
import { flag, pageOptions, required, text, UsageError } from "./options.ts";
import { withEvents, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const projectCommands = [
  command({
    name: "project create",
    summary: "create a project with a board (Backlog, To do, In progress, Done)",
    options: fieldOptions(projectFields, "new"),
    example: 'intake project create --name "Web shop"',
    async run({ options, io }) {
      io.result(
        await withStore(options.data, (ctx) => createProject({ ctx, input: newGiven(projectFields, options) })),
      );
    },
  }),
  command({
    name: "project list",
    summary: "list projects, archived ones included",
    options: pageOptions,
    example: "intake project list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listProjects({ ctx, input: options }));
      io.page(page, projectColumns);
    },
  }),
  command({
    name: "project archive",
    words: ["ID"],
    summary: "archive a project: API tokens and SDK keys no longer reach it, its cards and reports stay",
    example: "intake project archive 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => archiveProject({ ctx, input: { id } })));
    },
  }),
  command({
    name: "project export",
    words: ["ID"],
    summary: "write a project's tickets and reports to a folder as JSON Lines, with attachments as files",
    options: { to: required(text("DIR", "a folder that is missing or empty, or in which a killed export goes on")) },
    example: "intake project export 0198c0de-0000-7000-8000-000000000001 --to shop",
    notes:
      "Works beside a running server. The export is complete once manifest.json is there, which is written last. docs/export.md says what each file holds.",
    async run({ options, words, io }) {
      // The server comes first on a machine that is busy.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      const { exportProject } = await import("../export/export-project.ts");
      const { requireApart } = await import("../backup/target-folder.ts");
      const to = resolve(options.to);
      requireApart(options.data, to);
      const input = { id: wordId(words), to };
      const manifest = await withEvents(options.data, (ctx, tools) =>
        exportProject({ ctx, tools, input, progress: (text) => io.progress(text) }),
      );
      io.progress("");
      io.result({ to, ...manifest }, shownExport(manifest, to));
    },
  }),
  command({
    name: "project delete",
    words: ["ID"],
    summary:
      "delete a project with its boards, cards, runs, reports, SDK keys and subscribers; an Idempotency-Key still replays the answer of its ticket",
    options: { yes: flag("do not ask for confirmation; needed without a terminal") },
    example: "intake project delete 0198c0de-0000-7000-8000-000000000001 --yes",
    async run({ options, words, io }) {
      const id = wordId(words);
      if (!options.yes) {
        if (!io.interactive) throw new UsageError("a project is deleted for good; say --yes if that is wanted");
        const name = await withStore(options.data, (ctx) => nameOf(ctx, id));
        const question = `Delete the project "${name}" with its cards, runs, reports, SDK keys and subscribers for good?`;
        if (!(await io.confirm(question))) throw new CommandFailed("nothing was deleted");
      }
      const progress = (deleted: number, what: string) => io.progress(`${deleted} ${what} deleted`);
      const deleted = await withEvents(options.data, (ctx, tools) =>
        deleteProject({ ctx, tools, input: { id, progress } }),
      );
      io.progress("");
      io.result(deleted);
    },
  }),
];

function shownExport({ project, files, attachments, startedAt, finishedAt }: Manifest, to: string): string {
  const { files: count, bytes, missing, differing } = attachments;
  return [
    `exported the project ${project.name} to ${to}, read from ${startedAt} until ${finishedAt}`,
    ...files.flatMap(({ path, lines }) => (lines === undefined ? [] : [`${path}: ${lines} lines`])),
    `attachments: ${count} files, ${bytes} bytes`,
    ...(missing === 0 ? [] : [`${missing} attachments had no file already; see: intake doctor`]),
    ...(differing === 0 ? [] : [`${differing} attachments have other bytes than their row says; see: intake doctor`]),
  ].join("\n");
}

async function nameOf({ store }: Context, id: string): Promise<string> {
  const project = await store.one<{ name: string }>("select name from project where id = $1", [id]);
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}`);
  return project.name;
}
