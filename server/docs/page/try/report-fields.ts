import type { MediaType } from "../parts/api.ts";
import { button, h } from "../parts/dom.ts";
import { count } from "../parts/prose.ts";
import type { Part } from "./draft.ts";
import { exampleSelect } from "./example-select.ts";
import { field } from "./field.ts";

const envelopePart = "envelope";

/** An editor for the envelope, and the files that go with it. */
export function reportFields(prefix: string, { schema, examples }: MediaType) {
  const places = Object.keys(schema.properties ?? {}).filter((name) => name !== envelopePart);
  const editor = h("textarea", { id: `${prefix}-try-envelope`, class: "code", rows: 12, spellcheck: "false" });
  const gzip = h("input", { id: `${prefix}-try-gzip`, type: "checkbox" });
  const picker = h("input", { id: `${prefix}-try-files`, type: "file", multiple: true });
  const list = h("ul", "files");
  const note = h("p", { class: "hint", role: "status" });
  let files: File[] = [];

  const example = exampleSelect(`${prefix}-try-example`, examples, (value) => {
    const { envelope } = value as { envelope: string };
    editor.value = JSON.stringify({ ...JSON.parse(envelope), reportId: newUuid() }, null, 2);
  });
  const showFiles = () => {
    list.replaceChildren(
      ...files.map((file, index) =>
        h(
          "li",
          {},
          h("code", {}, places[index] ?? ""),
          h("span", {}, file.name),
          h("span", "hint", `${count(file.size)} bytes`),
          removeButton(file),
        ),
      ),
    );
    // Fires the event that typing would fire, for whoever watches the form.
    list.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const removeButton = (file: File) =>
    button(
      { class: "small", "aria-label": `Remove ${file.name}` },
      () => {
        files = files.filter((other) => other !== file);
        note.textContent = "";
        showFiles();
        picker.focus();
      },
      "Remove",
    );
  picker.addEventListener("change", () => {
    const chosen = [...files, ...(picker.files ?? [])];
    files = chosen.slice(0, places.length);
    const left = chosen.length - files.length;
    note.textContent = left > 0 ? `${left} left out: a report has at most ${places.length} attachments.` : "";
    picker.value = "";
    showFiles();
  });
  return {
    elements: [
      field("Example", example),
      field("Envelope", editor),
      field("Pack by gzip", gzip),
      field("Attachments", picker, list, note),
    ],
    body() {
      const attachments = files.map((file, index): Part => ({ name: places[index] ?? "", file }));
      return { kind: "form" as const, parts: [envelopeOf(editor.value, gzip.checked), ...attachments] };
    },
  };
}

function envelopeOf(text: string, gzip: boolean): Part {
  const name = gzip ? "envelope.json.gz" : "envelope.json";
  const type = gzip ? "application/gzip" : "application/json";
  return { name: envelopePart, file: new File([text], name, { type }), text, gzip };
}

/** Made without `randomUUID`, which browsers have with https only. */
function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
