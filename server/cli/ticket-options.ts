import { isDay } from "../../openapi/check.ts";
import {
  fieldEntries,
  kindOf,
  type TicketField,
  type TicketFieldName,
  type TicketFields,
} from "../../openapi/schema/ticket-fields.ts";
import { checked, choice, type OptionSpec, text, uuid } from "./options.ts";

/** A flag for each field of a ticket, in the order of the documents. The server says what is wrong with a longer text. */
export const ticketOptions = Object.fromEntries(fieldEntries.map(([, field]) => [field.flag, optionOf(field)])) as {
  [Name in TicketFieldName as TicketFields[Name]["flag"]]: OptionSpec<string | undefined>;
};

function optionOf({ schema, placeholder, help }: TicketField): OptionSpec<string | undefined> {
  switch (kindOf(schema)) {
    case "uuid":
      return uuid(placeholder, help);
    case "date":
      return checked(placeholder, help, requireDay);
    case "choice":
      return choice(schema.enum ?? [], help);
    default:
      return text(placeholder, help);
  }
}

function requireDay(value: string): string {
  if (!isDay(value)) throw new Error("must be a day that exists, written YYYY-MM-DD");
  return value;
}
