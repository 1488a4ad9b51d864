import { limits } from "../../openapi/schema/limits.ts";
import { changeKey } from "../access/change-key.ts";
import { createKey } from "../access/create-key.ts";
import { listKeys } from "../access/list-keys.ts";
import { requireName } from "../access/names.ts";
import { requireOrigin } from "../access/origins.ts";
import { type Command, command } from "./command.ts";
import { checked, integer, many, pageOptions, required, uuid } from "./options.ts";
import { ingestUrlOf, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const keyCommands: Command[] = [
  command({
    name: "key create",
    summary: "create an SDK key, with which apps send reports to a project",
    options: {
      project: required(uuid("P", "project that the reports belong to")),
      name: required(checked("N", `name, up to ${limits.nameMax} characters`, requireName)),
      limit: integer("N", `reports in any ${limits.windowSeconds} s (${limits.requestsPerWindow})`, {
        min: limits.requestsPerWindowMin,
        max: limits.requestsPerWindowMax,
      }),
      origin: many(checked("O", "origin that pages may send from, any when absent; repeat for several", requireOrigin)),
    },
    example:
      'intake key create --project 0198c0de-0000-7000-8000-000000000001 --name "Web shop" --origin https://shop.example.org',
    notes: "The key ships inside apps, so it is no secret: it can send reports and read or change nothing.",
    async run({ options, io }) {
      const { project: projectId, name, limit: requestsPerWindow, origin: origins } = options;
      const input = { projectId, name, requestsPerWindow, origins };
      const made = await withStore(options.data, async (ctx) => ({
        ...(await createKey({ ctx, input })),
        url: `${await ingestUrlOf(options.data, ctx)}/api/ingest`,
      }));
      io.result(made);
    },
  }),
  command({
    name: "key list",
    summary: "list SDK keys with their values, revoked ones too",
    options: { ...pageOptions, project: uuid("P", "only the keys of this project") },
    example: "intake key list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listKeys({ ctx, input }));
      io.page(page, ["id", "name", "projectId", "key", "state", "limit", "origins", "lastUsedAt"]);
    },
  }),
  ...(
    [
      ["pause", "answer 429 to every report of a key, until it is resumed"],
      ["resume", "let a paused key send again"],
      ["revoke", "revoke an SDK key at once and for good"],
    ] as const
  ).map(([change, summary]) =>
    command({
      name: `key ${change}`,
      words: ["ID"],
      summary,
      example: `intake key ${change} 0198c0de-0000-7000-8000-000000000001`,
      async run({ options, words, io }) {
        const input = { id: wordId(words), change };
        io.result(await withStore(options.data, (ctx) => changeKey({ ctx, input })));
      },
    }),
  ),
];
