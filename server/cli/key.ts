import { changeKey } from "../credentials/change-key.ts";
import { createKey } from "../credentials/create-key.ts";
import { keys } from "../credentials/credential-kinds.ts";
import { keyColumns, keyFields } from "../credentials/key-fields.ts";
import { listKeys } from "../credentials/list-keys.ts";
import { updateKey } from "../credentials/update-credential.ts";
import { type Command, command } from "./command.ts";
import { changeGiven, fieldOptions, newGiven } from "./field-options.ts";
import { pageOptions, uuid } from "./options.ts";
import { ingestUrlOf, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const keyCommands: Command[] = [
  command({
    name: "key create",
    summary: "create an SDK key, so that apps can send reports to a project",
    options: fieldOptions(keyFields, "new", keys.rules),
    example:
      'intake key create --project 0198c0de-0000-7000-8000-000000000001 --name "Web shop" --origin https://shop.example.org',
    notes: "The key ships inside apps, so it is not a secret: it can only send reports, never read or change anything.",
    async run({ options, io }) {
      const input = newGiven(keyFields, options);
      const made = await withStore(options.data, async (ctx) => ({
        ...(await createKey({ ctx, input })),
        url: `${await ingestUrlOf(options.data, ctx)}/api/ingest`,
      }));
      io.result(made);
    },
  }),
  command({
    name: "key list",
    summary: "list SDK keys with their values, revoked ones included",
    options: { ...pageOptions, project: uuid("P", "only the keys of this project") },
    example: "intake key list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listKeys({ ctx, input }));
      io.page(page, keyColumns);
    },
  }),
  command({
    name: "key update",
    words: ["ID"],
    summary:
      "change the name, limit or origins of an SDK key; without a flag a value stays, origins are replaced together",
    options: fieldOptions(keyFields, "change", keys.rules),
    example: "intake key update 0198c0de-0000-7000-8000-000000000001 --limit 300",
    async run({ options, words, io }) {
      const input = { id: wordId(words), change: changeGiven(keyFields, options) };
      io.result(await withStore(options.data, (ctx) => updateKey({ ctx, input })));
    },
  }),
  ...(
    [
      ["pause", "pause an SDK key: its reports are answered with 429 until it is resumed"],
      ["resume", "resume a paused SDK key: its reports are accepted again"],
      ["revoke", "revoke an SDK key immediately; this cannot be undone"],
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
