import { readFileSync } from "node:fs";
import { DataLock } from "../app/lock.ts";
import { Links } from "../files/links.ts";
import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { enableSince } from "../webhooks/deliveries/enable-since.ts";
import { sendMissed } from "../webhooks/deliveries/send-missed.ts";
import { addSubscriber } from "../webhooks/subscribers/add-subscriber.ts";
import { changeSubscriber } from "../webhooks/subscribers/change-subscriber.ts";
import { forgetSecrets } from "../webhooks/subscribers/forget-secrets.ts";
import { listSubscribers } from "../webhooks/subscribers/list-subscribers.ts";
import { parseOwnHeaders } from "../webhooks/subscribers/own-headers.ts";
import { removeSubscriber } from "../webhooks/subscribers/remove-subscriber.ts";
import { rotateSecret } from "../webhooks/subscribers/rotate-secret.ts";
import { subscriberColumns, subscriberFields } from "../webhooks/subscribers/subscriber-fields.ts";
import { updateSubscriber } from "../webhooks/subscribers/update-subscriber.ts";
import { command } from "./command.ts";
import { deliveryCommands } from "./delivery.ts";
import { fieldOptions, fieldsGiven, newGiven } from "./field-options.ts";
import { readMoment } from "./moment.ts";
import { flag, pageOptions, parsed, UsageError, uuid } from "./options.ts";
import { webhookAllowOption } from "./webhook-allow.ts";
import { usedFolder, withSealing, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const id = "0198c0de-0000-7000-8000-000000000001";

const headerFileOption = parsed("F", "file with more headers to send, one Name: value per line", readHeaders);
/** Reads a URL. Whether webhooks may be sent to it is checked later. */
const rules = { url: requireUrl };

export const subscriberCommands = [
  command({
    name: "subscriber add",
    summary: "send signed webhooks about reports to an address; the secret is shown only once",
    options: {
      project: uuid("P", "project whose reports are sent"),
      "all-projects": flag("send the reports of every project, later projects included"),
      ...fieldOptions(subscriberFields, "new", rules),
      "header-file": headerFileOption,
      "webhook-allow": webhookAllowOption,
    },
    example: `intake subscriber add --project ${id} --url https://hooks.example.org/intake`,
    notes:
      "Requests are signed as Standard Webhooks 1.0 defines. The address must be public and use https, unless --webhook-allow names it; start serve with the same flag.",
    async run({ options, io }) {
      const projectId = projectOf(options);
      const addresses = addressesBy(options);
      const input = { projectId, ...newGiven(subscriberFields, options), headers: options["header-file"] };
      io.result(
        await withSealing(options.data, (ctx, { sealing }) =>
          addSubscriber({ ctx, tools: { sealing, addresses }, input }),
        ),
      );
    },
  }),
  command({
    name: "subscriber list",
    summary: "list subscribers with their state, failures and waiting deliveries",
    options: { ...pageOptions, project: uuid("P", "only subscribers of this project") },
    example: "intake subscriber list",
    async run({ options, io }) {
      const input = { ...options, projectId: options.project };
      const page = await withStore(options.data, (ctx) => listSubscribers({ ctx, input }));
      io.page(page, subscriberColumns);
    },
  }),
  command({
    name: "subscriber update",
    words: ["ID"],
    summary:
      "change the address, messages or headers of a subscriber; without a flag a value stays, a list is replaced as a whole",
    options: {
      ...fieldOptions(subscriberFields, "change", rules),
      "header-file": headerFileOption,
      "no-headers": flag("send no more headers"),
      "webhook-allow": webhookAllowOption,
    },
    example: `intake subscriber update ${id} --url https://hooks.example.org/v2`,
    notes: "A new address starts without failures. Headers are sent to another origin only when they are given again.",
    async run({ options, words, io }) {
      const update = { ...fieldsGiven(subscriberFields, "change", options), headers: headersOf(options) };
      const input = { id: wordId(words), update };
      if (Object.values(update).every((member) => member === undefined)) throw new UsageError("say what to change");
      const addresses = addressesBy(options);
      io.result(
        await withSealing(options.data, (ctx, { sealing }) =>
          updateSubscriber({ ctx, tools: { sealing, addresses }, input }),
        ),
      );
    },
  }),
  ...(
    [
      ["pause", "pause a subscriber: its deliveries wait until it is resumed"],
      ["resume", "resume a paused subscriber: its waiting deliveries are sent"],
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
    name: "subscriber enable",
    words: ["ID"],
    summary: "enable a disabled subscriber without its failures; with --since also send the reports that it missed",
    options: {
      since: parsed(
        "T",
        "also send missed reports that were received at or after this time, ISO 8601 (UTC unless it has an offset)",
        readMoment,
      ),
    },
    example: `intake subscriber enable ${id} --since 2026-05-01`,
    notes:
      "Waiting deliveries are sent in any case. A report that the subscriber already has a delivery of is not sent again, so --since can be repeated, also for an enabled subscriber. The deliveryCount that the app received for those reports does not change.",
    async run({ options: { data, since }, words, io }) {
      if (since !== undefined && since > Date.now()) throw new UsageError("--since lies in the future");
      const subscriberId = wordId(words);
      if (since === undefined) {
        const input = { id: subscriberId, change: "enable" } as const;
        return io.result(await withStore(data, (ctx) => changeSubscriber({ ctx, input })));
      }
      const progress = (made: number) => io.progress(`${made} reports to be sent`);
      const enabled = await withSealing(data, async (ctx, { sealing }) => {
        const { id } = await enableSince({ ctx, input: { id: subscriberId, since } });
        const tools = { links: new Links(sealing) };
        return { id, ...(await sendMissed({ ctx, tools, input: { subscriberId, since, progress } })) };
      });
      io.progress("");
      io.result(enabled);
    },
  }),
  command({
    name: "subscriber remove",
    words: ["ID"],
    summary: "remove a subscriber with its deliveries",
    example: `intake subscriber remove ${id}`,
    async run({ options, words, io }) {
      const progress = (deleted: number) => io.progress(`${deleted} deliveries deleted`);
      const input = { id: wordId(words), progress };
      const removed = await withStore(options.data, (ctx) => removeSubscriber({ ctx, input }));
      io.progress("");
      io.result(removed);
    },
  }),
  command({
    name: "subscriber rotate-secret",
    words: ["ID"],
    summary: "make a new secret and show it only once; for 24 hours requests are signed with the old one too",
    example: `intake subscriber rotate-secret ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      io.result(await withSealing(options.data, (ctx, tools) => rotateSecret({ ctx, tools, input })));
    },
  }),
  ...deliveryCommands,
  command({
    name: "subscriber forget-secrets",
    summary: "replace a lost secret.key and disable every subscriber; needs --yes and a stopped server",
    options: { yes: flag("confirm that all secrets of subscribers and all links in webhooks may stop working") },
    example: "intake subscriber forget-secrets --yes",
    notes:
      "Afterwards run `intake subscriber rotate-secret` and `enable` for each subscriber, and `intake provider update ID --secret-file F` for each identity provider. A key file that still exists is renamed, not deleted.",
    async run({ options, io }) {
      if (!options.yes) throw new UsageError("every subscriber loses its secret; say --yes if that is wanted");
      const folder = usedFolder(options.data);
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

function addressesBy({ "webhook-allow": allow }: { "webhook-allow": readonly string[] }): SsrfGuard {
  return new SsrfGuard({ allow: allow.flatMap((list) => list.split(",")) });
}

function requireUrl(given: string): string {
  if (!URL.canParse(given)) throw new Error("must be a URL such as https://example.com/hook");
  return given;
}

function headersOf(options: { "header-file": Record<string, string> | undefined; "no-headers": boolean }) {
  const headers = options["header-file"];
  if (!options["no-headers"]) return headers;
  if (headers) throw new UsageError("give either --header-file or --no-headers");
  return null;
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
