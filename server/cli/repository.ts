import { limits } from "../../openapi/schema/limits.ts";
import { setRunCredits } from "../agents/set-run-credits.ts";
import { bindRepository, listRepositories, unbindRepository } from "../boards/repositories.ts";
import { command } from "./command.ts";
import { integer, pageOptions, required, text, uuid } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const repositoryCommands = [
  command({
    name: "repository bind",
    summary: "let agent runs of a project work against a repository",
    options: {
      project: required(uuid("P", "the project")),
      url: required(text("U", "address that git clones, without a password")),
    },
    example:
      "intake repository bind --project 0198c0de-0000-7000-8000-000000000001 --url https://git.example.org/shop.git",
    async run({ options, io }) {
      const input = { projectId: options.project, url: options.url };
      io.result(await withStore(options.data, (ctx) => bindRepository({ ctx, input })));
    },
  }),
  command({
    name: "repository list",
    summary: "list bound repositories",
    options: { project: uuid("P", "of this project only"), ...pageOptions },
    example: "intake repository list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listRepositories({ ctx, input }));
      io.page(page, ["id", "projectId", "url"]);
    },
  }),
  command({
    name: "repository update",
    words: ["ID"],
    summary: "set how many credits a run against a repository is held for",
    options: {
      "run-credits": required(
        integer("N", "held when a runner takes a run, once credits are limited", {
          min: 0,
          max: limits.creditsMax,
        }),
      ),
    },
    example: "intake repository update 0198c0de-0000-7000-8000-000000000001 --run-credits 20",
    async run({ options, words, io }) {
      const input = { repositoryId: wordId(words), credits: options["run-credits"] };
      io.result(await withStore(options.data, (ctx) => setRunCredits({ ctx, input })));
    },
  }),
  command({
    name: "repository unbind",
    words: ["ID"],
    summary: "unbind a repository; tickets that name it keep it",
    example: "intake repository unbind 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => unbindRepository({ ctx, input })));
    },
  }),
];
