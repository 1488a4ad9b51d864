import type { AuditRecorded } from "../../../openapi/schema/webhooks.ts";
import type { RecordedAct } from "../../core/audit.ts";
import type { Context } from "../../core/context.ts";
import { enqueueStep, subscribersStep } from "./enqueue.ts";

/**
 * Makes the step that enqueues a message for subscribers of `audit.recorded`, in the transaction that writes the entry
 * of the audit log. No delivery writes an entry, so messages make no further messages.
 */
export function auditMessages({ now, newId }: Pick<Context, "now" | "newId">): Context["audited"] {
  return function* (tx, act) {
    const topic = { projectId: null, type: "audit.recorded", reportType: null } as const;
    const subscribers = yield* subscribersStep(tx, topic);
    if (subscribers.length === 0) return;
    const message = { id: newId(), eventId: null, type: topic.type, head: JSON.stringify(messageOf(act)), tail: null };
    yield* enqueueStep(tx, message, subscribers, { now: now(), newId });
  };
}

function messageOf({ id, at, actor, action, object, from, to, network, requestId }: RecordedAct): AuditRecorded {
  const timestamp = new Date(at).toISOString();
  return {
    type: "audit.recorded",
    timestamp,
    data: {
      id,
      at: timestamp,
      actor: actor.name,
      actorKind: actor.kind,
      actorId: "id" in actor ? actor.id : null,
      action,
      object,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      network: network ?? null,
      requestId: requestId ?? null,
    },
  };
}
