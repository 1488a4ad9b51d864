import { fieldEntries, kindOf, type TicketField } from "./schema/ticket-fields.ts";

/** The flags of `ticket create` as TypeScript for the command line of the SDK, which imports nothing of the server. */
export function ticketFlags(): string {
  const flags = fieldEntries.map(([member, field]) => {
    const { flag, placeholder, help, required, schema } = field;
    return [
      flag,
      { member, kind: kindOf(schema), placeholder, help, ...bounds(field), ...(required ? { required } : {}) },
    ];
  });
  return `export const ticketFlags = ${JSON.stringify(Object.fromEntries(flags))} as const;\n`;
}

/** What the value of a flag is checked against before anything is sent. */
function bounds({ schema }: TicketField): object {
  if (schema.enum) return { choices: schema.enum };
  if (schema.maxLength === undefined) return {};
  return { min: schema.minLength ?? 1, max: schema.maxLength };
}
