import type { MediaType } from "../parts/api.ts";
import { h } from "../parts/dom.ts";
import { type Member, membersOf } from "../parts/members.ts";
import { exampleSelect } from "./example-select.ts";
import { field, select } from "./field.ts";

/** Texts longer than this get a control of several lines. */
const lineMax = 500;

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Fields {
  elements: HTMLElement[];
  body: () => { kind: "json"; text: string };
}

/** A control for each member of a JSON body. Empty members are left out, and the server says what is wrong. */
export function jsonFields(prefix: string, { schema, examples }: MediaType): Fields {
  const controls = membersOf(schema).map((member): [Member, Control] => [
    member,
    controlOf(`${prefix}-try-${member.name}`, member),
  ]);
  const example = exampleSelect(`${prefix}-try-example`, examples, (value) => {
    const members = value as Record<string, unknown>;
    for (const [{ name }, control] of controls) control.value = String(members[name] ?? "");
  });
  const rows = controls.map(([{ name, required }, control]) => field(required ? `${name} *` : name, control));
  return {
    elements: [field("Example", example), ...rows],
    body() {
      const filled = controls.filter(([, control]) => control.value !== "");
      const members = filled.map(([{ name }, control]) => [name, control.value]);
      return { kind: "json", text: JSON.stringify(Object.fromEntries(members), null, 2) };
    },
  };
}

function controlOf(id: string, { schema }: Member): Control {
  if (schema.enum)
    return select(id, [["", "not sent"], ...schema.enum.map((value): [string, string] => [value, value])]);
  if ((schema.maxLength ?? 0) > lineMax) return h("textarea", { id, rows: 3 });
  return h("input", {
    id,
    type: "text",
    placeholder: schema.format === "date" ? "YYYY-MM-DD" : (schema.format ?? ""),
    autocomplete: "off",
  });
}
