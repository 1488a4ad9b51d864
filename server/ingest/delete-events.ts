import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { highest } from "../core/page.ts";
import type { Step, Store, Tx, Value } from "../core/store.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import type { AttachmentRow, EventRow } from "../envelope/event-row.ts";
import { indexText } from "../envelope/index-envelope.ts";
import type { Files } from "../store/files.ts";
import { hasReceipt, keepCanonicalStep } from "./deduplicate.ts";
import { type Identity, joinDigests } from "./receipt-binding.ts";
import { subtractUsageStep } from "./usage.ts";

/** What deleting events needs besides the store. */
export interface DeleteTools {
  store: Store;
  files: Files;
  reader: EnvelopeReader;
}

type DeletedRow = Pick<
  EventRow,
  "id" | "project_id" | "report_id" | "digest" | "title" | "stored_bytes" | "delivery_count"
>;

/** More of the transaction that deletes events, with those that it has deleted. */
type Also = (tx: Tx, deleted: readonly DeletedRow[]) => Step<void>;

/** Events that are deleted in one transaction, so that other writes never wait long. */
const chunk = 50;
/** Deliveries that are deleted in one transaction with their events, each with about ten attempts. */
const deliveriesChunk = 200;

/** Deletes one event with its attachments. A late repeat of the report does not bring it back. */
export async function deleteEvent({
  ctx,
  tools,
  input: { id },
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store">;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  const [event] = await ctx.store.all<DeletedRow>(`${selectEvents} where id = $1`, [id]);
  if (!event) throw new Refusal("not_found", `there is no event ${id}`);
  await removeEvents({ store: ctx.store, ...tools }, [event], function* (tx, deleted) {
    yield* forgetTitlesStep(tx, deleted);
    yield* audit(tx, ctx, auditId, "event.delete", `event ${id}`);
  });
  ctx.changed?.({ kind: "report", id, in: event.project_id });
  return { id };
}

/** Deletes the events that were chosen from a list. Events that are gone already are skipped. */
export async function deleteEvents({
  ctx,
  tools,
  input: { ids },
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store">;
  input: { ids: readonly string[] };
}): Promise<{ deleted: number }> {
  requireAdmin(ctx);
  let deleted = 0;
  for (const id of new Set(ids)) {
    const [event] = await ctx.store.all<DeletedRow>(`${selectEvents} where id = $1`, [id]);
    if (!event) continue;
    await deleteEvent({ ctx, tools, input: { id } });
    deleted++;
  }
  return { deleted };
}

/** Deletes every event whose `user.id` or `user.email` is `user`. */
export async function deleteEventsOfUser({
  ctx,
  tools,
  input: { user, projectId },
  progress,
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store">;
  input: { user: string; projectId?: string | undefined };
  progress?: (deleted: number) => void;
}): Promise<{ deleted: number }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  // The audit log does not name the user, because it would keep the name that is to be forgotten.
  await ctx.store.write((tx) =>
    audit(tx, ctx, auditId, "event.delete_user", projectId ? `project ${projectId}` : "every project"),
  );
  const indexed = indexText(user);
  const [condition, params] = projectId ? [" and project_id = $2", [indexed, projectId]] : ["", [indexed]];
  const next = () =>
    ctx.store.all<DeletedRow>(
      `${selectEvents} where (user_id = $1 or user_email = $1)${condition} limit ${chunk}`,
      params,
    );
  return { deleted: await removeAll({ store: ctx.store, ...tools }, next, progress) };
}

/** Rows of `event` by a condition, with parameters from $1 on. */
interface EventCondition {
  where: string;
  params: readonly Value[];
}

/** Deletes some of the events that a condition finds, `max` at most; returns those that this call has deleted. */
export async function deleteSomeEvents(
  tools: DeleteTools,
  { where, params }: EventCondition,
  max: number,
): Promise<{ id: string; projectId: string }[]> {
  const gone: { id: string; projectId: string }[] = [];
  while (gone.length < max) {
    const limit = Math.min(chunk, max - gone.length);
    const events = await tools.store.all<DeletedRow>(`${selectEvents} where ${where} limit ${limit}`, params);
    if (events.length === 0) break;
    const ids = new Set(await removeEvents(tools, events, forgetTitlesStep));
    for (const { id, project_id: projectId } of events) if (ids.has(id)) gone.push({ id, projectId });
  }
  return gone;
}

/** Deletes every event of a project that is being deleted itself. */
export function deleteEventsOfProject(
  tools: DeleteTools,
  projectId: string,
  progress?: (deleted: number) => void,
): Promise<number> {
  const next = () =>
    tools.store.all<DeletedRow>(`${selectEvents} where project_id in ($1) limit ${chunk}`, [projectId]);
  return removeAll(tools, next, progress);
}

/**
 * Deletes the oldest events of a project, as many as one transaction takes: those received before a time (epoch
 * milliseconds), or as few as free `count` events and `bytes` bytes. Returns how many were deleted.
 */
export async function deleteOldest(
  tools: DeleteTools,
  projectId: string,
  what: { before: number } | { count: number; bytes: number },
): Promise<number> {
  const oldest = await tools.store.all<DeletedRow>(
    `${selectEvents} where project_id in ($1) and received_at < $2 order by received_at, id limit ${chunk}`,
    [projectId, "before" in what ? what.before : highest],
  );
  const events = "before" in what ? oldest : shortest(oldest, what);
  await removeEvents(tools, events);
  return events.length;
}

function shortest(oldest: readonly DeletedRow[], { count, bytes }: { count: number; bytes: number }): DeletedRow[] {
  let size = 0;
  return oldest.filter(({ stored_bytes }, i) => {
    const wanted = i < count || size < bytes;
    size += stored_bytes;
    return wanted;
  });
}

const selectEvents = "select id, project_id, report_id, digest, title, stored_bytes, delivery_count from event";

async function removeAll(
  tools: DeleteTools,
  next: () => Promise<DeletedRow[]>,
  progress: (deleted: number) => void = () => {},
): Promise<number> {
  let deleted = 0;
  for (let events = await next(); events.length > 0; events = await next()) {
    await removeEvents(tools, events, forgetTitlesStep);
    deleted += events.length;
    progress(deleted);
  }
  return deleted;
}

/** An event that is about to be deleted, with what its deletion needs. */
interface EventToDelete {
  event: DeletedRow;
  identity: Identity;
  /** Ids of the files of its attachments. */
  files: string[];
  fileBytes: number;
  /** Canonical digest to keep with its receipt; undefined when no later report would be compared with it. */
  canonical: Uint8Array | undefined;
}

async function removeEvents(tools: DeleteTools, events: readonly DeletedRow[], also?: Also): Promise<string[]> {
  const ids: string[] = [];
  for (const some of byDeliveries(events)) ids.push(...(await removeTogether(tools, some, also)));
  return ids;
}

function* byDeliveries(events: readonly DeletedRow[]): Generator<DeletedRow[]> {
  let some: DeletedRow[] = [];
  let deliveries = 0;
  for (const event of events) {
    if (some.length > 0 && deliveries + event.delivery_count > deliveriesChunk) {
      yield some;
      [some, deliveries] = [[], 0];
    }
    some.push(event);
    deliveries += event.delivery_count;
  }
  if (some.length > 0) yield some;
}

/**
 * Deletes the rows first, then the files: a crash in between leaves files that no row names, which are swept later.
 * Returns the ids of the events that this call has deleted, not those that another one was faster with.
 */
async function removeTogether(
  { store, files, reader }: DeleteTools,
  events: readonly DeletedRow[],
  also?: Also,
): Promise<string[]> {
  const deleting: EventToDelete[] = [];
  for (const event of events) deleting.push(await readEvent(store, reader, event));
  const removed = await store.write(function* (tx) {
    const gone: DeletedRow[] = [];
    const attachments: string[] = [];
    for (const { event, identity, files: fileIds, fileBytes, canonical } of deleting) {
      const deleted = yield* tx.one<{ stored_bytes: number }>(
        "delete from event where id = $1 returning stored_bytes",
        [event.id],
      );
      // Another deletion may have been faster.
      if (!deleted) continue;
      gone.push(event);
      attachments.push(...fileIds);
      yield* subtractUsageStep(tx, event.project_id, { events: 1, bytes: deleted.stored_bytes, fileBytes });
      if (canonical) yield* keepCanonicalStep(tx, identity, event.id, canonical);
    }
    if (also) yield* also(tx, gone);
    return { ids: gone.map(({ id }) => id), attachments };
  });
  await files.remove(removed.attachments);
  return removed.ids;
}

/**
 * Forgets the titles of events that somebody has deleted, with the notices that name them. Where retention deletes, titles
 * stay: a fatal report whose title was seen before is not new.
 */
function* forgetTitlesStep(tx: Tx, deleted: readonly DeletedRow[]): Step<void> {
  for (const { id, project_id, title } of deleted) {
    if (title === null) continue;
    yield* tx.run(
      `delete from fatal_title where project_id = $1 and title = $2
         and not exists (select 1 from event where event.id = fatal_title.event_id)`,
      [project_id, title],
    );
    yield* tx.run("delete from notice where rule = 'fatal_new' and subject = $1", [id]);
  }
}

async function readEvent(store: Store, reader: EnvelopeReader, event: DeletedRow): Promise<EventToDelete> {
  const { id, project_id: projectId, report_id: reportId, digest } = event;
  const attachments = await store.all<Pick<AttachmentRow, "id" | "size"> & { sha256: string }>(
    "select id, sha256, size from attachment where event_id = $1 and sha256 is not null",
    [id],
  );
  const digests = joinDigests(attachments.map(({ sha256 }) => Uint8Array.fromHex(sha256)));
  const identity = { projectId, reportId, digest: Uint8Array.fromHex(digest), attachments: digests };
  const files = attachments.map(({ id }) => id);
  const fileBytes = attachments.reduce((sum, { size }) => sum + (size ?? 0), 0);
  // Only reports with an id are compared by more than their bytes, and only while there is a receipt.
  const comparable = reportId !== null && (await hasReceipt(store, identity));
  const envelope = comparable
    ? await store.one<{ bytes: Uint8Array }>("select bytes from envelope where event_id = $1", [id])
    : undefined;
  return {
    event,
    identity,
    files,
    fileBytes,
    canonical: envelope && (await reader.canonical(envelope.bytes, "delete")),
  };
}
