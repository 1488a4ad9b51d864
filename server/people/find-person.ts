import type { FoundPerson, PersonQuery } from "../../openapi/schema/people.ts";
import { audit } from "../core/audit.ts";
import type { Context } from "../core/context.ts";
import { isoTime } from "../core/iso-time.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Row } from "../core/store.ts";
import { codeOf, countReports, eventsOf, requirePeople } from "./person.ts";

interface SumRow extends Row {
  bytes: number | null;
  oldest: number | null;
  newest: number | null;
}

/**
 * Counts what there is of a person, and changes nothing of it. Looking is an entry of the audit log, which does not name
 * the person.
 */
export async function findPerson({
  ctx,
  tools: { sealing },
  input,
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: PersonQuery;
}): Promise<FoundPerson> {
  requirePeople(ctx);
  const { store } = ctx;
  const events = await eventsOf(ctx, input);
  const reports = await countReports(ctx, events);
  const code = codeOf(sealing, input);
  const auditId = ctx.newId();
  await store.write((tx) => audit(tx, ctx, auditId, "person.find", `person ${code}`, { to: { reports } }));
  const { where, params } = events;
  const sums = await store.one<SumRow>(
    `select sum(stored_bytes) as bytes, min(received_at) as oldest, max(received_at) as newest from event where ${where}`,
    params,
  );
  const count = async (from: string) => {
    const row = await store.one<{ number: number }>(`select cast(count(*) as integer) as number from ${from}`, params);
    return row?.number ?? 0;
  };
  const those = `(select id from event where ${where})`;
  return {
    code,
    reports,
    attachments: await count(`attachment where event_id in ${those}`),
    bytes: sums?.bytes ?? 0,
    deliveries: await count(`delivery d join message m on m.id = d.message_id where m.event_id in ${those}`),
    cards: await count(`(select distinct ticket_id from report_card where event_id in ${those}) cards`),
    oldest: isoTime(sums?.oldest ?? null),
    newest: isoTime(sums?.newest ?? null),
  };
}
