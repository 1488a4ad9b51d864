import { limits } from "../../openapi/schema/limits.ts";
import { type Breadcrumb, breadcrumbsOf } from "./breadcrumbs.ts";
import { unpack } from "./decode-envelope.ts";
import { type Exception, exceptionsOf } from "./exceptions.ts";
import { entriesOf, isMembers, type Members, textOf } from "./read-untrusted.ts";
import { type SearchWords, searchedMessage } from "./search-words.ts";
import { topMembers } from "./top-members.ts";

/**
 * What people read of an envelope, within bounds. Members of an unusual shape are left out; the raw envelope has them.
 */
export interface ReportContents {
  message: string | null;
  /** The outermost exception first, then its causes. */
  exceptions: Exception[];
  breadcrumbs: { items: Breadcrumb[]; total: number };
  groups: { name: string; entries: { name: string; value: string }[] }[];
  /** The files that the app left out before it sent the report. */
  dropped: { filename: string | null; size: number | null; reason: string | null }[];
}

const messageMax = 20_000;
const groupsMax = 40;
const droppedMax = 20;

/** Reads the contents of a stored envelope, which may be compressed. */
export function readContents(stored: Uint8Array): ReportContents {
  const envelope = parse(stored);
  const message = envelope["message"];
  return {
    message: typeof message === "string" ? message.slice(0, messageMax).toWellFormed() : null,
    exceptions: exceptionsOf(envelope["exception"]),
    breadcrumbs: breadcrumbsOf(envelope["breadcrumbs"], envelope["occurredAt"]),
    groups: groupsOf(envelope),
    dropped: droppedOf(envelope),
  };
}

/** {@link searchWordsOf} a stored envelope, without parsing all of it. */
export function readWords(stored: Uint8Array): SearchWords {
  const members = topMembers(textOfEnvelope(stored), ["message", "dropped"]);
  const message = members.get("message") ?? "";
  return {
    message: message.startsWith('"') ? searchedMessage(JSON.parse(message) as string) : "",
    dropped: /^\[\s*[^\s\]]/.test(members.get("dropped") ?? ""),
  };
}

function parse(stored: Uint8Array): Members {
  return JSON.parse(textOfEnvelope(stored)) as Members;
}

/** The JSON of a stored envelope. Receiving has checked that it is an object. */
function textOfEnvelope(stored: Uint8Array): string {
  const unpacked = unpack(stored, limits.envelopeBytes);
  if (!(unpacked instanceof Uint8Array)) throw new Error("the stored envelope cannot be unpacked");
  return new TextDecoder().decode(unpacked);
}

const simpleGroups = ["app", "device", "os", "user", "sdk"] as const;

function groupsOf(envelope: Members): ReportContents["groups"] {
  const groups: ReportContents["groups"] = [];
  const add = (name: string, value: unknown) => {
    const entries = entriesOf(value);
    if (entries.length > 0 && groups.length < groupsMax) groups.push({ name, entries });
  };
  for (const name of simpleGroups) add(name, envelope[name]);
  const { contexts } = envelope;
  if (isMembers(contexts)) {
    for (const [name, value] of Object.entries(contexts).slice(0, groupsMax)) {
      add(`contexts.${textOf(name)}`, isMembers(value) ? value : { [name]: value });
    }
  }
  return groups;
}

function droppedOf({ dropped }: Members): ReportContents["dropped"] {
  if (!Array.isArray(dropped)) return [];
  return dropped.slice(0, droppedMax).map((entry: unknown) => {
    const { filename, name, size, reason } = isMembers(entry) ? entry : { reason: entry };
    const called = filename ?? name;
    return {
      filename: typeof called === "string" ? textOf(called) : null,
      size: typeof size === "number" && size >= 0 ? size : null,
      reason: typeof reason === "string" ? textOf(reason) : null,
    };
  });
}
