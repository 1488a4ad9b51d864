import { type Api, serverOf } from "./parts/api.ts";
import { copyButton } from "./parts/copy.ts";
import { credentialName, variableOf } from "./parts/credentials.ts";
import { h, icon } from "./parts/dom.ts";
import { prose } from "./parts/prose.ts";

const downloads = {
  "openapi.json": "OpenAPI 3.1",
  "openapi.3.0.json": "OpenAPI 3.0",
  "report-envelope.schema.json": "Envelope schema",
  "sdk/intake-client.tgz": "TypeScript SDK",
};

export function overview(api: Api): HTMLElement {
  const { info } = api;
  const address = serverOf(api);
  const links = Object.entries(downloads).map(([href, name]) =>
    h("a", { class: "button", href, download: true }, icon("down"), name),
  );
  return h(
    "section",
    { id: "overview", "data-nav": "Overview", "data-find": "Overview · base address, downloads" },
    h("p", "eyebrow", "API reference"),
    h("h1", {}, info.title, " ", h("span", "version", info.version)),
    info.summary === undefined ? undefined : h("p", "lead", info.summary),
    h(
      "div",
      "address",
      h("code", {}, address),
      copyButton("Copy the base address", () => address),
    ),
    ...prose(info.description),
    h("div", "downloads", ...links),
  );
}

export function credentials(api: Api): HTMLElement {
  const items = Object.entries(api.securitySchemes).map(([name, { description }]) =>
    h(
      "li",
      { id: `credential-${name}`, "data-find": `${credentialName(name)} · credential` },
      h("div", "member", h("strong", {}, credentialName(name))),
      ...prose(description),
      h("p", "facts", h("code", {}, `Authorization: Bearer $${variableOf(name)}`)),
    ),
  );
  return h(
    "section",
    { id: "credentials", "data-nav": "Credentials" },
    h("h2", {}, "Credentials"),
    h("ul", "errors", ...items),
  );
}
