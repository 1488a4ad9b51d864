import type { Schema } from "./api.ts";
import { type Child, h } from "./dom.ts";
import { inline } from "./prose.ts";
import { factsOf, typeOf } from "./schema-facts.ts";

export interface Member {
  name: string;
  required: boolean;
  schema: Schema;
  description?: string | undefined;
}

/** A list of named values: members of a body, parts of a form, headers. `prefix` starts their ids. */
export function memberList(prefix: string, where: string, members: readonly Member[]): HTMLElement {
  return h("ul", "members", ...members.map((member) => memberItem(prefix, where, member)));
}

/** The members of an object, or of the objects in an array; a row of equal parts is one. */
export function membersOf({ properties = {}, required = [] }: Schema): Member[] {
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
  // Required members come first; otherwise the order is kept.
  return joinNumbered(members.sort((a, b) => Number(b.required) - Number(a.required)));
}

function joinNumbered(members: Member[]): Member[] {
  const joined: Member[] = [];
  for (const member of members) {
    const last = joined.at(-1);
    const stem = /^(.*_)\d+$/.exec(member.name)?.[1];
    if (last && stem !== undefined && last.name.startsWith(stem) && same(last, member)) {
      last.name = `${last.name.split(" … ")[0]} … ${member.name}`;
    } else joined.push({ ...member });
  }
  return joined;
}

function same(a: Member, b: Member): boolean {
  return JSON.stringify(a.schema) === JSON.stringify(b.schema);
}

function memberItem(prefix: string, where: string, member: Member): HTMLElement {
  const { name, schema, required, description = schema.description } = member;
  const id = `${prefix}-${name.replace(/ .*/, "")}`;
  const nested = membersOf(schema.items ?? schema);
  const values = schema.enum ?? schema.items?.enum ?? [];
  return h(
    "li",
    { id, "data-find": `${name} · ${where}` },
    h(
      "div",
      "member",
      h("a", { href: `#${id}` }, h("code", {}, name)),
      h("span", "type", typeOf(schema)),
      required ? h("span", "required", "required") : undefined,
    ),
    description === undefined ? undefined : h("p", {}, ...inline(description)),
    values.length > 0 ? h("p", "facts", "one of ", ...codes(values)) : undefined,
    ...factsOf(schema).map((fact) => h("p", "facts", fact)),
    nested.length > 0 ? memberList(id, `${where}, ${name}`, nested) : undefined,
  );
}

function codes(values: readonly string[]): Child[] {
  return values.flatMap((value, index) => [index === 0 ? undefined : " ", h("code", "chip", value)]);
}
