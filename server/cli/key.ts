import { limits } from "../../openapi/schema/limits.ts";
import { requireName } from "../core/names.ts";
import { changeKey } from "../credentials/change-key.ts";
import { createKey } from "../credentials/create-key.ts";
import { listKeys } from "../credentials/list-keys.ts";
import { requireOrigin } from "../credentials/origins.ts";
import { updateKey } from "../credentials/update-key.ts";
import { type Command, command } from "./command.ts";
import { checked, flag, integer, many, pageOptions, required, UsageError, uuid } from "./options.ts";
import { ingestUrlOf, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const nameOption = checked("N", `name, up to ${limits.nameMax} characters`, requireName);
const limitOption = integer("N", `reports in any ${limits.windowSeconds} s (${limits.requestsPerWindow})`, {
  min: limits.requestsPerWindowMin,
  max: limits.requestsPerWindowMax,
});
const originOption = many(
  checked("O", "origin that pages may send from, any when created without; repeat for several", requireOrigin),
);

export const keyCommands: Command[] = [
  command({
    name: "key create",
    summary: "create an SDK key, with which apps send reports to a project",
    options: {
      project: required(uuid("P", "project that the reports belong to")),
      name: required(nameOption),
      limit: limitOption,
      origin: originOption,
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
  command({
    name: "key update",
    words: ["ID"],
    summary: "rename an SDK key, change its limit or its origins; what is not given stays, origins are replaced",
    options: {
      name: nameOption,
      limit: limitOption,
      origin: originOption,
      "any-origin": flag("pages of any origin may send"),
    },
    example: "intake key update 0198c0de-0000-7000-8000-000000000001 --limit 300",
    async run({ options: { data, name, limit, origin, "any-origin": any }, words, io }) {
      if (any && origin.length > 0) throw new UsageError("give either --origin or --any-origin");
      const origins = any || origin.length > 0 ? origin : undefined;
      const update = { name, requestsPerWindow: limit, origins };
      const input = { id: wordId(words), update };
      if (Object.values(update).every((member) => member === undefined)) throw new UsageError("say what to change");
      io.result(await withStore(data, (ctx) => updateKey({ ctx, input })));
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
