import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import type { AttachmentRow, EventRow } from "../envelope/event-row.ts";
import { type AttachmentView, type EventView, presentAttachment, presentEvent } from "./event-view.ts";

export interface ShownEvent extends EventView {
  attachments: AttachmentView[];
}

/** Shows a stored report with its attachments, without the bytes of its envelope and files. */
export async function showEvent({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<ShownEvent> {
  requireMember(ctx);
  const row = await ctx.store.one<EventRow>(
    `select e.* from event e join project p on p.id = e.project_id
     where e.id = $1 and p.deleted_at is null`,
    [input.id],
  );
  if (!row) throw new Refusal("not_found", `there is no event ${input.id}`);
  const attachments = (await attachmentsOf(ctx.store, input.id)).map(presentAttachment);
  const { deliveryCount, repeatCount, lastRepeatAt, warnings, ...event } = presentEvent(row);
  return { ...event, attachments, deliveryCount, repeatCount, lastRepeatAt, warnings };
}

/** The attachments of a report in order of arrival, then those that did not come. */
export function attachmentsOf(store: Reader, eventId: string): Promise<AttachmentRow[]> {
  return store.all<AttachmentRow>("select * from attachment where event_id = $1 order by number", [eventId]);
}
