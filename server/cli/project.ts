import { requireName } from "../access/names.ts";
import { archiveProject } from "../boards/archive.ts";
import { createProject } from "../boards/create-project.ts";
import { deleteProject } from "../boards/delete-project.ts";
import { listProjects } from "../boards/list-projects.ts";
import { command } from "./command.ts";
import { checked, pageOptions, required } from "./options.ts";
import { withEvents, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const projectCommands = [
  command({
    name: "project create",
    summary: "create a project with a board (Backlog, To do, In progress, Done)",
    options: { name: required(checked("N", "name of the project", requireName)) },
    example: 'intake project create --name "Web shop"',
    async run({ options, io }) {
      io.result(await withStore(options.data, (ctx) => createProject({ ctx, input: { name: options.name } })));
    },
  }),
  command({
    name: "project list",
    summary: "list projects, archived ones too",
    options: pageOptions,
    example: "intake project list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listProjects({ ctx, input: options }));
      io.page(page, ["id", "name", "createdAt", "archivedAt", "events", "eventBytes"]);
    },
  }),
  command({
    name: "project archive",
    words: ["ID"],
    summary: "put a project away; no token and no SDK key reaches it any more, its cards and reports stay",
    example: "intake project archive 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => archiveProject({ ctx, input: { id } })));
    },
  }),
  command({
    name: "project delete",
    words: ["ID"],
    summary:
      "delete a project with its boards, cards, runs, reports, SDK keys and subscribers; replays of its tickets stay",
    example: "intake project delete 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      const progress = (deleted: number, what: string) => io.progress(`${deleted} ${what} deleted`);
      const gone = await withEvents(options.data, (ctx, tools) =>
        deleteProject({ ctx, tools, input: { id, progress } }),
      );
      io.progress("");
      io.result(gone);
    },
  }),
];
