import { timingSafeEqual } from "node:crypto";
import type { PersonQuery } from "../../openapi/schema/people.ts";
import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { decodeCursor, encodeCursor, InvalidCursor } from "../core/page.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { EventRow } from "../envelope/event-row.ts";
import { oneLine, withEnvelope } from "../envelope/one-line.ts";
import type { Links } from "../files/links.ts";
import { presentAttachment, presentEvent } from "../ingest/event-view.ts";
import { attachmentsOf } from "../ingest/show-event.ts";
import { codeOf, countReports, eventsOf, requirePeople } from "./person.ts";

const pageMax = 100;
/** Bytes of envelopes after which a page ends, so that a page of large ones takes little memory. */
const pageBytes = 4_194_304;

/**
 * A page of a person's reports, each as the text of a JSON object, with links to the attachments. The first page is an
 * entry of the audit log, which does not name the person.
 */
export async function exportPerson({
  ctx,
  tools: { sealing, links },
  input: { cursor, ...person },
}: {
  ctx: Context;
  tools: { sealing: Sealing; links: Links };
  input: PersonQuery & { cursor?: string | undefined };
}): Promise<{ items: string[]; next: string | null }> {
  requirePeople(ctx);
  const { store } = ctx;
  const after = cursor === undefined ? "" : placeIn(cursor, ctx, sealing, person);
  const events = await eventsOf(ctx, person);
  if (cursor === undefined) {
    const reports = await countReports(ctx, events);
    const auditId = ctx.newId();
    const code = codeOf(sealing, person);
    await store.write((tx) => audit(tx, ctx, auditId, "person.export", `person ${code}`, { to: { reports } }));
  }
  const { where, params } = events;
  const place = `$${params.length + 1}`;
  const rows = await store.all<EventRow>(
    `select * from event where ${where} and id > ${place} order by id limit ${pageMax + 1}`,
    [...params, after],
  );
  const publicUrl = await readPublicUrl(store, ctx.publicUrl);
  const items: string[] = [];
  let bytes = 0;
  for (const [i, row] of rows.entries()) {
    if (i === pageMax || bytes > pageBytes) {
      return { items, next: cursorAt(rows[i - 1]?.id ?? after, ctx, sealing, person) };
    }
    const envelope = await store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [row.id]);
    const text = envelope && oneLine(envelope.bytes);
    // Deleted since the page was read.
    if (text === undefined) continue;
    bytes += text.length;
    const attachments = (await attachmentsOf(store, row.id)).map((attachment) => ({
      ...presentAttachment(attachment),
      url: attachment.state === "missing" ? null : publicUrl + links.pathOf(row.id, attachment.number),
    }));
    items.push(withEnvelope({ ...presentEvent(row), attachments }, text));
  }
  return { items, next: null };
}

/**
 * The cursor has a code that nobody makes without the key: an export that began with a made-up one would be no entry of
 * the audit log. It counts for this caller and this person alone.
 */
function cursorAt(id: string, ctx: Context, sealing: Sealing, person: PersonQuery): string {
  return encodeCursor([id, codeAt(id, ctx, sealing, person)]);
}

function placeIn(cursor: string, ctx: Context, sealing: Sealing, person: PersonQuery): string {
  const [id = "", code = ""] = decodeCursor(cursor, ["string", "string"]);
  const [given, wanted] = [Buffer.from(code), Buffer.from(codeAt(id, ctx, sealing, person))];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new InvalidCursor();
  return id;
}

function codeAt(id: string, { actor }: Context, sealing: Sealing, { by, value }: PersonQuery): string {
  const caller = "id" in actor ? actor.id : actor.kind;
  return sealing.personCode(JSON.stringify(["export", caller, by, value, id]));
}

/** The page as JSON. Its reports are JSON already. */
export function pageText({ items, next }: { items: readonly string[]; next: string | null }): string {
  return `{"items":[${items.join(",")}],"next":${JSON.stringify(next)}}`;
}
