import type { DeletedPerson, DeletePerson } from "../../openapi/schema/people.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { type DeleteTools, deleteSomeEvents } from "../ingest/delete-events.ts";
import { codeOf, countReports, eventsOf, requirePeople } from "./person.ts";

/** Reports that one call deletes, so that it takes seconds at most. */
const callMax = 500;

/**
 * Deletes reports that name a person, as many as one call takes: whoever wants all gone calls again with `left`. Refused
 * unless there are as many reports as the caller expects, so that nobody deletes more than they were shown. Each call
 * that deletes is an entry of the audit log, which does not name the person.
 */
export async function deletePerson({
  ctx,
  tools: { sealing, ...tools },
  input: { reports: expected, ...person },
}: {
  ctx: Context;
  tools: Omit<DeleteTools, "store"> & { sealing: Sealing };
  input: DeletePerson;
}): Promise<DeletedPerson> {
  requirePeople(ctx);
  const { store } = ctx;
  const events = await eventsOf(ctx, person);
  const reports = await countReports(ctx, events);
  if (reports !== expected) {
    throw new Refusal("conflict", `There are ${reports} reports of this person, not ${expected}. Look again first.`);
  }
  if (reports === 0) return { deleted: 0, left: 0 };
  const auditId = ctx.newId();
  const code = codeOf(sealing, person);
  const to = { reports: Math.min(reports, callMax), left: Math.max(0, reports - callMax) };
  // Before the first one is gone: a call that is killed has its entry.
  await store.write((tx) => audit(tx, ctx, auditId, "person.delete", `person ${code}`, { to }));
  const gone = await deleteSomeEvents({ store, ...tools }, events, callMax);
  for (const { id, projectId } of gone) ctx.changed?.({ kind: "report", id, in: projectId });
  return { deleted: gone.length, left: await countReports(ctx, events) };
}
