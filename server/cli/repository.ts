import { limits } from "../../openapi/schema/limits.ts";
import { setRunCredits } from "../agents/set-run-credits.ts";
import { bindRepository, listRepositories, unbindRepository } from "../boards/repositories.ts";
import { repositoryColumns, repositoryFields } from "../boards/repository-fields.ts";
import { repositoryRules } from "../boards/repository-view.ts";
import { setBaseBranch } from "../boards/set-base-branch.ts";
import { command } from "./command.ts";
import { changeGiven, fieldOptions, newGiven } from "./field-options.ts";
import { integer, pageOptions, uuid } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const repositoryCommands = [
  command({
    name: "repository bind",
    summary: "allow agent runs of a project to use a repository",
    options: fieldOptions(repositoryFields, "new", repositoryRules),
    notes:
      "The machine that executes runs clones the repository with its own credentials: a credential helper for https; keys, agent and known hosts for ssh.",
    example:
      "intake repository bind --project 0198c0de-0000-7000-8000-000000000001 --url https://git.example.org/shop.git",
    async run({ options, io }) {
      const input = newGiven(repositoryFields, options);
      io.result(await withStore(options.data, (ctx) => bindRepository({ ctx, input })));
    },
  }),
  command({
    name: "repository list",
    summary: "list bound repositories",
    options: { project: uuid("P", "only repositories of this project"), ...pageOptions },
    example: "intake repository list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listRepositories({ ctx, input }));
      io.page(page, repositoryColumns);
    },
  }),
  command({
    name: "repository update",
    words: ["ID"],
    summary: "change the credits that a run of a repository holds, or the branch that it begins from",
    options: {
      "run-credits": integer("N", "credits held when a runner claims a run, once credits are limited", {
        min: 0,
        max: limits.creditsMax,
      }),
      ...fieldOptions(repositoryFields, "change", repositoryRules),
    },
    example: "intake repository update 0198c0de-0000-7000-8000-000000000001 --run-credits 20",
    async run({ options, words, io }) {
      const repositoryId = wordId(words);
      const { "run-credits": credits } = options;
      const { baseBranch } = changeGiven(repositoryFields, options, credits !== undefined);
      io.result(
        await withStore(options.data, async (ctx) => ({
          ...(credits === undefined ? {} : await setRunCredits({ ctx, input: { repositoryId, credits } })),
          ...(baseBranch === undefined ? {} : await setBaseBranch({ ctx, input: { repositoryId, baseBranch } })),
        })),
      );
    },
  }),
  command({
    name: "repository unbind",
    words: ["ID"],
    summary: "stop agent runs from using a repository; tickets that name it keep its address",
    example: "intake repository unbind 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withStore(options.data, (ctx) => unbindRepository({ ctx, input })));
    },
  }),
];
