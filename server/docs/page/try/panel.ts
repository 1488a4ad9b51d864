import { type Api, contentOf, credentialOf, type Operation, serverOf } from "../parts/api.ts";
import { copyButton } from "../parts/copy.ts";
import { credentialName, variableOf } from "../parts/credentials.ts";
import { h, icon } from "../parts/dom.ts";
import { codeView } from "../parts/json-view.ts";
import { phraseOf } from "../parts/statuses.ts";
import { curl } from "./curl.ts";
import type { Draft } from "./draft.ts";
import { field } from "./field.ts";
import { jsonFields } from "./json-fields.ts";
import { reportFields } from "./report-fields.ts";
import { send } from "./send.ts";
import { sentView } from "./sent-view.ts";
import { strayIn } from "./stray.ts";

const noAnswer = "No answer: the server cannot be reached from this page.";

/** A form that sends the operation to this server and shows the command that does the same. */
export function tryPanel(api: Api, operation: Operation): HTMLElement {
  const { operationId: id, method, path, summary, parameters = [] } = operation;
  const scheme = credentialOf(operation);
  const credential = scheme === undefined ? undefined : credentialInput(`${id}-try-credential`);
  const headers = parameters.map(({ name, example = "" }) =>
    h("input", { id: `${id}-try-${name}`, type: "text", name, placeholder: example, autocomplete: "off" }),
  );
  const fields = fieldsOf(operation);
  const submit = h("button", { type: "submit", class: "primary" }, icon("send"), "Send");
  const command = codeView();
  const answer = h("div", "answered");
  const status = h("p", { class: "unseen", role: "status" });
  const form = h(
    "form",
    { id: `${id}-try`, class: "try", autocomplete: "off", "aria-label": `Try it: ${summary}` },
    h("h3", {}, "Try it"),
    scheme === undefined || !credential
      ? undefined
      : field(credentialName(scheme), credential, h("p", "hint", "Stays in this page until it is reloaded.")),
    ...headers.map((input) => field(input.name, input)),
    ...(fields?.elements ?? []),
    h("div", "actions", submit),
    answer,
    h(
      "div",
      "command",
      h("h4", {}, "The same by curl"),
      copyButton(`Copy the curl command of ${summary}`, () => command.textContent ?? ""),
    ),
    command,
    status,
  );

  const draft = (base: string): Draft => ({
    method,
    url: base + path,
    variable: scheme === undefined ? undefined : variableOf(scheme),
    headers: Object.fromEntries(headers.filter(({ value }) => value !== "").map(({ name, value }) => [name, value])),
    body: fields?.body(),
  });
  const say = (wrong: string) => {
    answer.replaceChildren(h("p", "wrong", wrong));
    status.textContent = wrong;
  };
  const update = () => {
    command.textContent = curl(draft(serverOf(api, operation)));
  };
  form.addEventListener("input", update);
  form.addEventListener("change", update);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    // The button is not disabled while the request runs, because it would lose the focus.
    if (answer.ariaBusy === "true") return;
    const stray = strayIn(credential ? [credential, ...headers] : headers);
    if (stray) {
      say(stray.text);
      stray.input.focus();
      return;
    }
    answer.ariaBusy = "true";
    status.textContent = "Waiting for the answer";
    try {
      const sent = await send(draft(reachable(api, operation)), credential?.value.trim() ?? "");
      answer.replaceChildren(sentView(sent));
      status.textContent = `${sent.status} ${phraseOf(sent.status)}`;
    } catch {
      say(noAnswer);
    }
    answer.ariaBusy = null;
  });
  update();
  return form;
}

/** The credential is never put into storage, address or history, and no password manager offers to keep it. */
function credentialInput(id: string): HTMLInputElement {
  return h("input", { id, type: "password", autocomplete: "off", spellcheck: "false" });
}

function fieldsOf(operation: Operation) {
  const [mediaType, media] = contentOf(operation.requestBody) ?? [];
  if (!media) return undefined;
  return mediaType === "multipart/form-data"
    ? reportFields(operation.operationId, media)
    : jsonFields(operation.operationId, media);
}

/** The server of this page, by whatever name it was opened, or the separate address for reports. */
function reachable(api: Api, operation: Operation): string {
  const server = serverOf(api, operation);
  return server === serverOf(api) ? new URL(".", location.href).href.slice(0, -1) : server;
}
