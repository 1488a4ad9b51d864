import { createToken } from "../credentials/create-token.ts";
import { listRequests } from "../credentials/list-requests.ts";
import { listTokens } from "../credentials/list-tokens.ts";
import { revokeToken } from "../credentials/revoke-token.ts";
import { tokenColumns, tokenFields } from "../credentials/token-fields.ts";
import { updateToken } from "../credentials/update-credential.ts";
import { command } from "./command.ts";
import { changeGiven, fieldOptions, newGiven } from "./field-options.ts";
import { pageOptions, UsageError } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

export const tokenCommands = [
  command({
    name: "token create",
    summary: "create an API token; its value is shown only once",
    options: fieldOptions(tokenFields, "new"),
    example: 'intake token create --name "Nightly build" --project 0198c0de-0000-7000-8000-000000000001',
    async run({ options, io }) {
      const { reach, ...more } = newGiven(tokenFields, options);
      if (reach === undefined) throw new UsageError("say what the token reaches: --project P or --all-projects");
      const input = { ...more, reach };
      io.result(await withStore(options.data, (ctx) => createToken({ ctx, input })));
    },
  }),
  command({
    name: "token list",
    summary: "list API tokens, revoked ones included",
    options: pageOptions,
    example: "intake token list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listTokens({ ctx, input: options }));
      io.page(page, tokenColumns);
    },
  }),
  command({
    name: "token update",
    words: ["ID"],
    summary:
      "change the name, reach, scopes or limit of an API token; without a flag a value stays, a list is replaced as a whole",
    options: fieldOptions(tokenFields, "change"),
    example: "intake token update 0198c0de-0000-7000-8000-000000000001 --all-projects",
    async run({ options, words, io }) {
      const id = wordId(words);
      const change = changeGiven(tokenFields, options);
      io.result(await withStore(options.data, (ctx) => updateToken({ ctx, input: { id, change } })));
    },
  }),
  command({
    name: "token revoke",
    words: ["ID"],
    summary: "revoke an API token immediately; this cannot be undone",
    example: "intake token revoke 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => revokeToken({ ctx, input: { id } })));
    },
  }),
  command({
    name: "token log",
    words: ["ID"],
    summary: "list the authenticated requests of an API token, oldest first",
    options: pageOptions,
    example: "intake token log 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const input = { ...options, tokenId: wordId(words) };
      const page = await withStore(options.data, (ctx) => listRequests({ ctx, input }));
      io.page(page, ["at", "status", "code", "ticketId", "idempotencyKey", "replayed", "mismatch"]);
    },
  }),
];
