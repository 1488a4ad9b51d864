import { limits } from "../../../openapi/schema/limits.ts";
import type { Fields } from "../../core/fields.ts";
import { formats } from "../formats/formats.ts";
import { messageTypes } from "../messages/message-types.ts";

/**
 * The fields of a subscriber that people give, without its project and its headers. Every use of these fields derives
 * from this table.
 */
export const subscriberFields = {
  url: {
    kind: "address",
    column: "url",
    required: true,
    label: "Address",
    help: "https, and public, unless the server was started with --webhook-allow for it. It is looked up when you save.",
    placeholder: "https://hooks.example.org/intake",
    flag: { name: "url", placeholder: "U", about: "https address that receives the messages" },
  },
  name: {
    kind: "text",
    column: "name",
    max: limits.nameMax,
    label: "Name",
    help: "For people. Empty: its host.",
  },
  format: {
    kind: "choice",
    column: "format",
    of: formats,
    default: formats[0],
    label: "Format",
    help: "intake: signed JSON for a program. The others are what a webhook of that chat takes; matrix: of matrix-hookshot.",
    fact: { label: "Format" },
    flag: {
      name: "format",
      about: `form of the messages: JSON for a program, or what a webhook of that chat takes (${formats[0]} when added)`,
    },
  },
  types: {
    kind: "texts",
    column: "event_types",
    of: messageTypes,
    default: [messageTypes[0]],
    label: "Told of",
    empty: "It is told of nothing: choose one at least.",
    flag: { name: "type", about: `messages that are sent; repeat for several (${messageTypes[0]} when added)` },
  },
  reportTypes: {
    kind: "texts",
    column: "report_types",
    max: limits.reportTypesMax,
    default: [],
    label: "Only reports of these types",
    perLine: true,
    help: "As the report says, one on each line, such as crash. Empty: all.",
    flag: {
      name: "report-type",
      placeholder: "T",
      about: "send only reports of this type; repeat for several",
      instead: { name: "all-report-types", about: "send reports of every type", changeOnly: true },
    },
  },
} as const satisfies Fields;

export type SubscriberFields = typeof subscriberFields;

/** The columns of `intake subscriber list`, in this order. */
export const subscriberColumns = [
  "id",
  "projectId",
  "url",
  "format",
  "types",
  "state",
  "reason",
  "failures",
  "lastSuccessAt",
  "waiting",
] as const;
