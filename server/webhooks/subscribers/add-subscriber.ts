import { limits } from "../../../openapi/schema/limits.ts";
import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { columnsOf, type NewFields, withDefaults } from "../../core/fields.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Step, Tx } from "../../core/store.ts";
import { insertStep } from "../../core/write-row.ts";
import type { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { secretAbout } from "../messages/sealed-columns.ts";
import { newSecret } from "../messages/signature.ts";
import { auditedFields, checkSubscriber, requireReach } from "./check-subscriber.ts";
import { headerColumns } from "./own-headers.ts";
import { type SubscriberFields, subscriberFields } from "./subscriber-fields.ts";

export type SubscriberInput = NewFields<SubscriberFields> & {
  /** Null for every project, later ones included. */
  projectId: string | null;
  /** In the form that `parseOwnHeaders` returns. */
  headers?: Record<string, string> | null | undefined;
};

/** Adds a subscriber. Its secret is returned only here. */
export async function addSubscriber({
  ctx,
  tools: { sealing, addresses },
  input: { projectId, headers = null, ...given },
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: SsrfGuard };
  input: SubscriberInput;
}): Promise<{ id: string; secret: string }> {
  requireAdmin(ctx);
  const fields = await checkSubscriber(withDefaults(subscriberFields, given), addresses);
  requireReach(projectId, fields.types);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const secret = newSecret();
  const audited = Object.entries(auditedFields(fields)).filter(([, value]) => value !== null);
  return ctx.store.write(function* (tx) {
    yield* requireRoomStep(tx, projectId);
    yield* insertStep(tx, "subscriber", {
      ...{ id, project_id: projectId, ...columnsOf(subscriberFields, fields), ...headerColumns(id, headers, sealing) },
      ...{ secret: sealing.seal(secret, secretAbout(id)), state: "active", created_at: now },
      ...{ failures: 0, openings: 0 },
    });
    yield* audit(tx, ctx, auditId, "subscriber.add", `subscriber ${id}`, {
      to: { project: projectId, ...Object.fromEntries(audited), headers: Object.keys(headers ?? {}) },
    });
    return { id, secret };
  });
}

function* requireRoomStep(tx: Tx, projectId: string | null): Step<void> {
  if (projectId !== null) {
    const project = yield* tx.one<{ archived_at: number | null }>("select archived_at from project where id = $1", [
      projectId,
    ]);
    if (!project) throw new Refusal("project_not_found", `there is no project ${projectId}; see: intake project list`);
    if (project.archived_at !== null) throw new Refusal("conflict", "the project is archived and takes no reports");
  }
  const [found] = yield* tx.all<{ count: number }>(
    projectId === null
      ? "select cast(count(*) as integer) as count from subscriber where project_id is null"
      : "select cast(count(*) as integer) as count from subscriber where project_id = $1",
    projectId === null ? [] : [projectId],
  );
  if ((found?.count ?? 0) >= limits.subscribersMax) {
    const whose = projectId === null ? "there are" : "the project has";
    throw new Refusal("conflict", `${whose} ${limits.subscribersMax} subscribers already; remove one first`);
  }
}
