import { answerList } from "./answers.ts";
import { type Api, contentOf, credentialOf, type Operation } from "./parts/api.ts";
import { copyButton } from "./parts/copy.ts";
import { credentialName } from "./parts/credentials.ts";
import { h } from "./parts/dom.ts";
import { memberList, membersOf } from "./parts/members.ts";
import { inline, prose } from "./parts/prose.ts";
import { tryPanel } from "./try/panel.ts";

/** The reference of one operation, and beside it the panel to try it. */
export function operationSection(api: Api, operation: Operation): HTMLElement {
  const { operationId: id, method, path, summary } = operation;
  const tried = isTried(operation);
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
      tried ? h("a", { class: "button small jump", href: `#${id}-try` }, "Try it") : undefined,
    ),
    h("div", "columns", h("div", "reference", ...reference(operation)), tried ? tryPanel(api, operation) : undefined),
  );
}

/** Operations of the runner protocol have no form: a run that was claimed by hand would be executed by nobody. */
function isTried({ tags }: Operation): boolean {
  return !tags.includes("Runner");
}

function reference(operation: Operation): (HTMLElement | undefined)[] {
  const { operationId: id, summary, requestBody, description } = operation;
  const [mediaType, media] = contentOf(requestBody) ?? [];
  return [
    ...prose(description),
    credentialLine(operation),
    ...parameterLists(operation),
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

function parameterLists({ operationId: id, summary, parameters = [] }: Operation): HTMLElement[] {
  return [
    ["header", "Headers"],
    ["path", "Path"],
  ].flatMap(([place = "", title = ""]) => {
    const found = parameters.filter((parameter) => parameter.in === place);
    return found.length > 0 ? [h("h3", {}, title), memberList(id, `${summary}, ${place}`, found)] : [];
  });
}

function credentialLine(operation: Operation): HTMLElement {
  const credential = credentialOf(operation);
  if (credential === undefined) return h("p", "prose", ...inline("Needs no credential."));
  const link = h("a", { href: `#credential-${credential}` }, credentialName(credential));
  return h("p", "prose", "Needs an ", link, " in ", h("code", {}, "Authorization"), ".");
}
