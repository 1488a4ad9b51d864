import { readFileSync } from "node:fs";
import { addSubscriber } from "../fanout/add-subscriber.ts";
import { Addresses } from "../fanout/addresses.ts";
import { changeSubscriber } from "../fanout/change-subscriber.ts";
import { forgetSecrets } from "../fanout/forget-secrets.ts";
import { listSubscribers } from "../fanout/list-subscribers.ts";
import { messageTypes } from "../fanout/message.ts";
import { parseOwnHeaders } from "../fanout/own-headers.ts";
import { removeSubscriber } from "../fanout/remove-subscriber.ts";
import { rotateSecret } from "../fanout/rotate-secret.ts";
import { requireDataFolder } from "../ops/data-folder.ts";
import { DataLock } from "../ops/lock.ts";
import { command } from "./command.ts";
import { deliveryCommands } from "./delivery.ts";
import { choice, flag, many, pageOptions, parsed, required, text, UsageError, uuid } from "./options.ts";
import { webhookAllowOption } from "./webhook-allow.ts";
import { withSealing, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const id = "0198c0de-0000-7000-8000-000000000001";

export const subscriberCommands = [
  command({
    name: "subscriber add",
    summary: "tell an address of reports by signed webhooks; the secret is shown this once",
    options: {
      project: uuid("P", "the project whose reports it is told of"),
      "all-projects": flag("the reports of every project, later ones too"),
      url: required(text("U", "https address that is sent to")),
      type: many(choice(messageTypes, `what it is told of; repeat for several (${messageTypes[0]})`)),
      "report-type": many(text("T", "only reports of this type, as the report says; repeat for several")),
      "header-file": parsed("F", "file of further headers that are sent along, a Name: value a line", readHeaders),
      "webhook-allow": webhookAllowOption,
    },
    example: `intake subscriber add --project ${id} --url https://hooks.example.org/intake`,
    notes:
      "Requests are signed as Standard Webhooks 1.0 has it. Only public addresses over https are taken unless --webhook-allow names others; give it to serve too.",
    async run({ options, io }) {
      const projectId = projectOf(options);
      const addresses = new Addresses({ allow: options["webhook-allow"].flatMap((list) => list.split(",")) });
      const { url, type: types, "report-type": reportTypes, "header-file": headers } = options;
      const input = { projectId, url, types, reportTypes, headers };
      io.result(
        await withSealing(options.data, (ctx, { sealing }) =>
          addSubscriber({ ctx, tools: { sealing, addresses }, input }),
        ),
      );
    },
  }),
  command({
    name: "subscriber list",
    summary: "list subscribers with their state and how they fare",
    options: { ...pageOptions, project: uuid("P", "only the subscribers of this project") },
    example: "intake subscriber list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listSubscribers({ ctx, input }));
      io.page(page, ["id", "projectId", "url", "types", "state", "reason", "failures", "lastSuccessAt", "waiting"]);
    },
  }),
  ...(
    [
      ["pause", "send nothing to a subscriber until it is resumed; its deliveries wait"],
      ["resume", "let a paused subscriber go on with what has waited"],
      ["enable", "let a disabled subscriber go on, as if nothing had failed"],
    ] as const
  ).map(([change, summary]) =>
    command({
      name: `subscriber ${change}`,
      words: ["ID"],
      summary,
      example: `intake subscriber ${change} ${id}`,
      async run({ options, words, io }) {
        const input = { id: wordId(words), change };
        io.result(await withStore(options.data, (ctx) => changeSubscriber({ ctx, input })));
      },
    }),
  ),
  command({
    name: "subscriber remove",
    words: ["ID"],
    summary: "remove a subscriber with its deliveries",
    example: `intake subscriber remove ${id}`,
    async run({ options, words, io }) {
      const progress = (deleted: number) => io.progress(`${deleted} deliveries deleted`);
      const input = { id: wordId(words), progress };
      const gone = await withStore(options.data, (ctx) => removeSubscriber({ ctx, input }));
      io.progress("");
      io.result(gone);
    },
  }),
  command({
    name: "subscriber rotate-secret",
    words: ["ID"],
    summary: "make a new secret, shown this once; for 24 hours the old one signs too",
    example: `intake subscriber rotate-secret ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withSealing(options.data, (ctx, tools) => rotateSecret({ ctx, tools, input })));
    },
  }),
  ...deliveryCommands,
  command({
    name: "subscriber forget-secrets",
    summary: "for a lost secret.key: make a new one and disable every subscriber; needs --yes and a stopped server",
    options: { yes: flag("the secrets of all subscribers and all links in webhooks may stop working") },
    example: "intake subscriber forget-secrets --yes",
    notes:
      "Each subscriber then takes `intake subscriber rotate-secret` and `enable`. A key file that is still there is put aside.",
    async run({ options, io }) {
      if (!options.yes) throw new UsageError("every subscriber loses its secret; say --yes if that is wanted");
      const folder = requireDataFolder(options.data);
      const lock = new DataLock(folder, "subscriber forget-secrets");
      try {
        io.result(await withStore(folder, (ctx) => forgetSecrets({ ctx, tools: { folder } })));
      } finally {
        lock.release();
      }
    },
  }),
];

function projectOf({ project, "all-projects": all }: { project: string | undefined; "all-projects": boolean }) {
  if (all === (project !== undefined)) throw new UsageError("give either --project P or --all-projects");
  return project ?? null;
}

function readHeaders(path: string): Record<string, string> {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read the file (${(error as { code?: string }).code})`);
  }
  return parseOwnHeaders(content);
}
