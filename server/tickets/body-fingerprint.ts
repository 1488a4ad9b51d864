import type { CreateTicket } from "../../openapi/schema/ticket.ts";

/**
 * Two bytes of a hash for each field of a body, kept with its key: too little to read a value from, enough to tell
 * later which fields of a retry differ. `title:3f1c,priority:07aa`
 */
export function fieldsDigest(ticket: CreateTicket): string {
  return Object.entries(ticket)
    .map(([name, value]) => `${name}:${digestOf(value)}`)
    .join(",");
}

/** The names of the fields that differ; empty when only white space or the order does. */
export function differingFields(before: string, ticket: CreateTicket): string[] {
  const was = new Map(before.split(",").map((part) => part.split(":") as [string, string]));
  const is = new Map(Object.entries(ticket).map(([name, value]) => [name, digestOf(value)]));
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => name !== "" && was.get(name) !== is.get(name));
}

function digestOf(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (Number(Bun.hash(text) & 0xffffn) + 0x10000).toString(16).slice(1);
}
