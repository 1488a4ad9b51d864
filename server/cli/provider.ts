import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { addProvider } from "../providers/add-provider.ts";
import { providerRules } from "../providers/check-provider.ts";
import { GuardedFetch } from "../providers/guarded-fetch.ts";
import { KnownIssuers } from "../providers/known-issuers.ts";
import { listProviders } from "../providers/list-providers.ts";
import { providerColumns, providerFields } from "../providers/provider-fields.ts";
import { removeProvider } from "../providers/remove-provider.ts";
import { testProvider } from "../providers/test-provider.ts";
import { updateProvider } from "../providers/update-provider.ts";
import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { Connections } from "../webhooks/sender/connections.ts";
import { command } from "./command.ts";
import { changeGiven, fieldOptions, newGiven } from "./field-options.ts";
import { parsed, text, UsageError } from "./options.ts";
import { providerAllowOption } from "./provider-allow.ts";
import { providerCaOption } from "./trusted-certificates.ts";
import { withSealing, withStore } from "./with-store.ts";

const secretOptions = {
  "secret-file": parsed(
    "F",
    "file with the client's secret or private key (PEM or JWK); Intake stores it sealed",
    readSecret,
  ),
  "secret-path": text("F", "file with the secret that the server reads at each sign-in; nothing of it is stored"),
};

export const providerCommands = [
  command({
    name: "provider add",
    summary: "let people sign in with an identity provider (OpenID Connect)",
    options: {
      ...fieldOptions(providerFields, "new", providerRules),
      ...secretOptions,
      "provider-allow": providerAllowOption,
    },
    example:
      "intake provider add --id keycloak --name Keycloak --issuer https://sso.example.org/realms/main --client-id intake --secret-file client-secret",
    notes:
      "The answer names the redirect address that the provider has to know. docs/sign-in.md has the steps for Keycloak, Authentik, Entra ID, Google, Okta, GitLab and Dex.",
    async run({ options, io }) {
      const input = { ...newGiven(providerFields, options), ...secretOf(options) };
      const addresses = addressesBy(options);
      io.result(
        await withSealing(options.data, (ctx, { sealing }) =>
          addProvider({ ctx, tools: { sealing, addresses }, input }),
        ),
      );
    },
  }),
  command({
    name: "provider list",
    summary: "list identity providers with their redirect addresses",
    example: "intake provider list",
    async run({ options, io }) {
      const { items } = await withStore(options.data, (ctx) => listProviders({ ctx }));
      io.page({ items, next: null }, providerColumns);
    },
  }),
  command({
    name: "provider update",
    words: ["ID"],
    summary: "change a provider from the next sign-in on; without a flag a value stays, a list is replaced as a whole",
    options: {
      ...fieldOptions(providerFields, "change", providerRules),
      ...secretOptions,
      "provider-allow": providerAllowOption,
    },
    example: "intake provider update keycloak --admin-group intake-admins --member-group intake",
    async run({ options, words, io }) {
      const secret = secretOf(options);
      const given = changeGiven(
        providerFields,
        options,
        Object.values(secret).some((one) => one !== undefined),
      );
      const input = { ...given, ...secret, id: words[0] ?? "" };
      const addresses = addressesBy(options);
      io.result(
        await withSealing(options.data, (ctx, { sealing }) =>
          updateProvider({ ctx, tools: { sealing, addresses }, input }),
        ),
      );
    },
  }),
  command({
    name: "provider remove",
    words: ["ID"],
    summary: "remove a provider, its links to accounts, and the sessions that began there",
    example: "intake provider remove keycloak",
    async run({ options, words, io }) {
      const input = { id: words[0] ?? "" };
      io.result(await withStore(options.data, (ctx) => removeProvider({ ctx, input })));
    },
  }),
  command({
    name: "provider test",
    words: ["ID"],
    summary: "ask a provider for its discovery document and look at its secret; nobody signs in",
    options: { "provider-allow": providerAllowOption, "provider-ca": providerCaOption },
    example: "intake provider test keycloak",
    async run({ options, words, io }) {
      const connections = new Connections({ ca: options["provider-ca"] ?? [] });
      try {
        const issuers = new KnownIssuers(new GuardedFetch({ addresses: addressesBy(options), connections }));
        const input = { id: words[0] ?? "" };
        io.result(
          await withSealing(options.data, (ctx, { sealing }) =>
            testProvider({ ctx, tools: { issuers, sealing }, input }),
          ),
        );
      } finally {
        connections.close();
      }
    },
  }),
];

function addressesBy({ "provider-allow": allow }: { "provider-allow": readonly string[] }): SsrfGuard {
  return new SsrfGuard({ allow: allow.flatMap((list) => list.split(",")), flag: "--provider-allow" });
}

function secretOf(options: { "secret-file": string | undefined; "secret-path": string | undefined }) {
  const path = options["secret-path"];
  if (path !== undefined && options["secret-file"] !== undefined) {
    throw new UsageError("give either --secret-file or --secret-path");
  }
  return { secret: options["secret-file"], secretFile: path === undefined ? undefined : resolve(path) };
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read the file (${(error as { code?: string }).code})`);
  }
}
