import { limits } from "../../openapi/schema/limits.ts";
import { scopes } from "../../openapi/schema/ticket.ts";
import { requireName } from "../core/names.ts";
import type { Reach } from "../credentials/create-token.ts";
import { createToken } from "../credentials/create-token.ts";
import { listRequests } from "../credentials/list-requests.ts";
import { listTokens } from "../credentials/list-tokens.ts";
import { revokeToken } from "../credentials/revoke-token.ts";
import { updateToken } from "../credentials/update-token.ts";
import { command } from "./command.ts";
import { checked, choice, flag, integer, many, pageOptions, required, UsageError, uuid } from "./options.ts";
import { withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const reachOptions = {
  project: many(uuid("P", "a project the token reaches; repeat for several")),
  "all-projects": flag("reach every project, later ones too"),
};
const scopeOptions = {
  scope: many(choice(scopes, "what the token may do; repeat for several (tickets:write when created)")),
  "no-scope": flag("no scope at all"),
};
const limitOption = integer("N", `requests in any ${limits.windowSeconds} s (${limits.requestsPerWindow})`, {
  min: limits.requestsPerWindowMin,
  max: limits.requestsPerWindowMax,
});
const nameOption = checked("N", `name, the author of its tickets, up to ${limits.nameMax} characters`, requireName);

export const tokenCommands = [
  command({
    name: "token create",
    summary: "create an API token; its value is shown this once",
    options: { name: required(nameOption), ...reachOptions, ...scopeOptions, limit: limitOption },
    example: 'intake token create --name "Nightly build" --project 0198c0de-0000-7000-8000-000000000001',
    async run({ options, io }) {
      const reach = reachOf(options);
      if (reach === undefined) throw new UsageError("say what the token reaches: --project P or --all-projects");
      const input = {
        name: options.name,
        reach,
        scopes: scopesOf(options) ?? [scopes[0]],
        requestsPerWindow: options.limit,
      };
      io.result(await withStore(options.data, (ctx) => createToken({ ctx, input })));
    },
  }),
  command({
    name: "token list",
    summary: "list API tokens, revoked ones too",
    options: pageOptions,
    example: "intake token list",
    async run({ options, io }) {
      const page = await withStore(options.data, (ctx) => listTokens({ ctx, input: options }));
      io.page(page, ["id", "name", "fingerprint", "scopes", "reach", "lastUsedAt", "revokedAt"]);
    },
  }),
  command({
    name: "token update",
    words: ["ID"],
    summary: "rename or re-scope a token; what is not given stays, lists are replaced",
    options: { name: nameOption, ...reachOptions, ...scopeOptions, limit: limitOption },
    example: "intake token update 0198c0de-0000-7000-8000-000000000001 --all-projects",
    async run({ options, words, io }) {
      const id = wordId(words);
      const change = {
        name: options.name,
        reach: reachOf(options),
        scopes: scopesOf(options),
        requestsPerWindow: options.limit,
      };
      if (Object.values(change).every((member) => member === undefined)) throw new UsageError("say what to change");
      io.result(await withStore(options.data, (ctx) => updateToken({ ctx, input: { id, change } })));
    },
  }),
  command({
    name: "token revoke",
    words: ["ID"],
    summary: "revoke a token at once and for good",
    example: "intake token revoke 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const id = wordId(words);
      io.result(await withStore(options.data, (ctx) => revokeToken({ ctx, input: { id } })));
    },
  }),
  command({
    name: "token log",
    words: ["ID"],
    summary: "every authenticated request of a token, oldest first",
    options: pageOptions,
    example: "intake token log 0198c0de-0000-7000-8000-000000000001",
    async run({ options, words, io }) {
      const input = { ...options, tokenId: wordId(words) };
      const page = await withStore(options.data, (ctx) => listRequests({ ctx, input }));
      io.page(page, ["at", "status", "code", "ticketId", "idempotencyKey", "replayed", "mismatch"]);
    },
  }),
];

function reachOf(options: { project: string[]; "all-projects": boolean }): Reach | undefined {
  const chosen = options.project;
  if (!options["all-projects"]) return chosen.length > 0 ? chosen : undefined;
  if (chosen.length > 0) throw new UsageError("give either --project or --all-projects");
  return "all";
}

function scopesOf<S>(options: { scope: S[]; "no-scope": boolean }): S[] | undefined {
  if (!options["no-scope"]) return options.scope.length > 0 ? options.scope : undefined;
  if (options.scope.length > 0) throw new UsageError("give either --scope or --no-scope");
  return [];
}
