import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { unpack } from "../envelope/decode-envelope.ts";
import { bytesOf, type Files } from "../store/files.ts";
import { attachmentsOf } from "./show-event.ts";

/** Reads the exact bytes of an event's envelope, unpacked. */
export async function readEnvelope({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<Uint8Array> {
  requireMember(ctx);
  const row = await ctx.store.one<{ bytes: Uint8Array }>(
    `select v.bytes from envelope v join event e on e.id = v.event_id join project p on p.id = e.project_id
     where v.event_id = $1 and p.deleted_at is null`,
    [input.id],
  );
  if (!row) throw new Refusal("not_found", `there is no event ${input.id}`);
  const unpacked = unpack(row.bytes, limits.envelopeBytes);
  if (!(unpacked instanceof Uint8Array)) throw new Error("the stored envelope cannot be unpacked");
  return unpacked;
}

/** Reads the exact bytes of an attachment; `index` counts from 0 in order of arrival. */
export async function readAttachment({
  ctx,
  files,
  input: { id, index },
}: {
  ctx: Context;
  files: Files;
  input: { id: string; index: number };
}): Promise<Uint8Array> {
  requireMember(ctx);
  const attachment = (await attachmentsOf(ctx.store, id)).find(({ number }) => number === index);
  if (!attachment) {
    const event = await ctx.store.one("select id from event where id = $1", [id]);
    throw new Refusal("not_found", event ? `the event has no attachment ${index}` : `there is no event ${id}`);
  }
  if (attachment.state === "missing") {
    throw new Refusal("not_found", `attachment ${index} is named by the envelope, but did not come`);
  }
  const file = await files.find(attachment.id);
  if (!file) throw new Refusal("not_found", `the file of attachment ${index} is gone; run: intake doctor`);
  return bytesOf(file);
}
