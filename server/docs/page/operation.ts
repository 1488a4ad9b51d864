import { answerList } from "./answers.ts";
import { type Api, contentOf, credentialOf, type Operation } from "./api.ts";
import { copyButton } from "./copy.ts";
import { h } from "./dom.ts";
import { memberList, membersOf } from "./members.ts";
import { credentialName } from "./overview.ts";
import { inline, prose } from "./prose.ts";
import { tryPanel } from "./try/panel.ts";

/** The reference of one operation, and beside it the panel to try it. */
export function operationSection(api: Api, operation: Operation): HTMLElement {
  const { operationId: id, method, path, summary } = operation;
  return h(
    "section",
    {
      id,
      class: "operation",
      "data-nav": summary,
      "data-method": method,
      "data-find": `${summary} · ${method} ${path}`,
    },
    h("h2", {}, summary),
    h(
      "div",
      "address",
      h("span", `method ${method.toLowerCase()}`, method),
      h("code", {}, path),
      copyButton(`Copy the path of ${summary}`, () => path),
      h("a", { class: "button small jump", href: `#${id}-try` }, "Try it"),
    ),
    h("div", "columns", h("div", "reference", ...reference(operation)), tryPanel(api, operation)),
  );
}

function reference(operation: Operation): (HTMLElement | undefined)[] {
  const { operationId: id, summary, parameters = [], requestBody, description } = operation;
  const [mediaType, media] = contentOf(requestBody) ?? [];
  return [
    ...prose(description),
    credentialLine(operation),
    ...(parameters.length > 0 ? [h("h3", {}, "Headers"), memberList(id, `${summary}, header`, parameters)] : []),
    ...(media
      ? [
          h("h3", {}, "Body ", h("span", "hint", mediaType ?? "")),
          ...prose(requestBody?.description),
          memberList(id, `${summary}, body`, membersOf(media.schema)),
        ]
      : []),
    mediaType === "multipart/form-data"
      ? h("p", "prose", "What goes into the envelope: ", h("a", { href: "#envelope" }, "The envelope"), ".")
      : undefined,
    h("h3", {}, "Answers"),
    answerList(operation),
  ];
}

function credentialLine(operation: Operation): HTMLElement {
  const credential = credentialOf(operation);
  if (credential === undefined) return h("p", "prose", ...inline("Needs no credential."));
  const link = h("a", { href: `#credential-${credential}` }, credentialName(credential));
  return h("p", "prose", "Needs an ", link, " in ", h("code", {}, "Authorization"), ".");
}
