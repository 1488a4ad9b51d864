import { isDay, isUuid, longerThan, pointer } from "../../openapi/check.ts";
import {
  type AttachmentKind,
  attachmentKinds,
  levels,
  type Warning,
  type WarningCode,
} from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";

/** The members of an envelope that are indexed for lists, filters and attachments; absent and wrong ones are null. */
export interface EnvelopeIndex {
  version: number | null;
  reportId: string | null;
  type: string | null;
  title: string | null;
  level: string | null;
  occurredAt: string | null;
  sentAt: string | null;
  release: string | null;
  environment: string | null;
  userId: string | null;
  userEmail: string | null;
  tags: Record<string, string> | null;
  /** Null when the envelope has no list of attachments. */
  references: Reference[] | null;
  warnings: Warning[];
}

export interface Reference {
  part: string;
  filename: string | null;
  contentType: string | null;
  size: number | null;
  sha256: string | null;
  kind: AttachmentKind;
  /** JSON pointer to this reference in the envelope. */
  path: string;
}

/**
 * Extracts the indexed members. A member of a wrong type is left out and named in a warning; it never costs the report.
 */
export function indexEnvelope(envelope: Members): EnvelopeIndex {
  const warnings: Warning[] = [];
  const top = new MemberReader(envelope, "", warnings);
  const app = top.object("app");
  const user = top.object("user");
  return {
    version: top.take("version", "an integer", Number.isSafeInteger) as number | null,
    reportId: top.text("reportId", "a UUID", isUuid)?.toLowerCase() ?? null,
    type: top.text("type"),
    title: top.text("title"),
    level: top.text("level", `one of ${levels.join(", ")}`, (text) => (levels as readonly string[]).includes(text)),
    occurredAt: top.text("occurredAt", moment, isMoment),
    sentAt: top.text("sentAt", moment, isMoment),
    release: app.text("version"),
    environment: app.text("environment"),
    userId: user.text("id"),
    userEmail: user.text("email"),
    tags: tagsOf(top.object("tags")),
    references: referencesOf(top, warnings),
    warnings,
  };
}

type Members = Record<string, unknown>;

const moment = "an ISO 8601 date and time";

/** Extracts members of one object and adds a warning for each that is wrong. */
class MemberReader {
  readonly members: Members;
  readonly #path: string;
  readonly #warnings: Warning[];

  constructor(members: Members, path: string, warnings: Warning[]) {
    this.members = members;
    this.#path = path;
    this.#warnings = warnings;
  }

  take(name: string, wanted: string, fits: (value: unknown) => boolean): unknown {
    const value = Object.hasOwn(this.members, name) ? this.members[name] : null;
    if (value === null || fits(value)) return value;
    this.warn(name, "wrong_type", `is not ${wanted}`);
    return null;
  }

  text(name: string, wanted = "text", fits: (text: string) => boolean = () => true): string | null {
    const value = this.take(name, wanted, (value) => typeof value === "string" && fits(value));
    return value === null ? null : indexText(value as string);
  }

  /** The extractor for a member that is an object; it finds nothing when the member is absent or no object. */
  object(name: string): MemberReader {
    const value = this.take(name, "an object", (value) => typeof value === "object" && !Array.isArray(value));
    return new MemberReader((value ?? {}) as Members, `${this.#path}/${name}`, this.#warnings);
  }

  /** Adds a warning about a member, or about the object itself when `name` is null. */
  warn(name: string | null, code: WarningCode, text: string) {
    const path = name === null ? this.#path : this.#path + pointer(name);
    this.#warnings.push({ path, code, message: `${path} ${text}; it is kept, but not indexed.` });
  }
}

function tagsOf(reader: MemberReader): Record<string, string> | null {
  const names = Object.keys(reader.members);
  if (names.length === 0) return null;
  // Without a prototype, `__proto__` is a name like any other.
  const tags: Record<string, string> = Object.create(null);
  for (const name of names.slice(0, limits.tagsMax)) {
    const value = reader.members[name];
    if (value === null) continue;
    if (typeof value !== "string") reader.warn(name, "wrong_type", "is not text");
    else if (longerThan(name, limits.tagKeyMax) || longerThan(value, limits.tagValueMax)) {
      reader.warn(name, "too_long", `is longer than ${limits.tagKeyMax} (name) or ${limits.tagValueMax} characters`);
    } else tags[plain(name)] = plain(value);
  }
  if (names.length > limits.tagsMax) reader.warn(null, "too_many", `has more than ${limits.tagsMax} members`);
  return tags;
}

const digestShape = /^[0-9a-f]{64}$/i;

function referencesOf(top: MemberReader, warnings: Warning[]): Reference[] | null {
  const listed = top.take("attachments", "a list", Array.isArray) as unknown[] | null;
  if (listed === null) return null;
  const references: Reference[] = [];
  for (const [i, entry] of listed.slice(0, limits.referencesMax).entries()) {
    const path = `/attachments/${i}`;
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
      warnings.push({
        path,
        code: "wrong_type",
        message: `${path} is not an object; it is kept, but not used.`,
      });
      continue;
    }
    const reader = new MemberReader(entry as Members, path, warnings);
    const part = reader.take("part", "the name of a part", (value) => typeof value === "string") as string | null;
    if (part === null) {
      if ((entry as Members)["part"] === undefined) reader.warn("part", "wrong_type", "is not the name of a part");
      continue;
    }
    references.push({
      part,
      filename: reader.text("filename"),
      contentType: reader.text("contentType"),
      size: reader.take(
        "size",
        "a number of bytes",
        (value) => Number.isSafeInteger(value) && (value as number) >= 0,
      ) as number | null,
      sha256: reader.text("sha256", "64 hex digits", (text) => digestShape.test(text))?.toLowerCase() ?? null,
      kind: (reader.text("kind", `one of ${attachmentKinds.join(", ")}`, isKind) ?? "other") as AttachmentKind,
      path,
    });
  }
  if (listed.length > limits.referencesMax) {
    top.warn("attachments", "too_many", `has more than ${limits.referencesMax} entries`);
  }
  return references;
}

function isKind(text: string): boolean {
  return (attachmentKinds as readonly string[]).includes(text);
}

/** Text as the index stores it: cut after `max` code points, without characters that a database cannot store. */
export function indexText(text: string, max: number = limits.indexValueMax): string {
  return plain(longerThan(text, max) ? [...text.slice(0, 2 * max)].slice(0, max).join("") : text);
}

function plain(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

const momentShape =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,12})?)?(?:Z|[+-](\d{2})(?::?(\d{2}))?)?)?$/;

/** Whether the text is an ISO 8601 date that exists, with or without time, fraction and offset. */
export function isMoment(text: string): boolean {
  const parts = momentShape.exec(text);
  if (!parts || !isDay(parts[1] ?? "")) return false;
  const [hour, minute, second, offsetHour, offsetMinute] = parts.slice(2).map((part) => Number(part ?? 0));
  const within = (value: number | undefined, max: number) => (value ?? 0) <= max;
  // 60 is a leap second.
  return (
    within(hour, 23) && within(minute, 59) && within(second, 60) && within(offsetHour, 23) && within(offsetMinute, 59)
  );
}
