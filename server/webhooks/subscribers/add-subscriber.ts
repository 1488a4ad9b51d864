import { limits } from "../../../openapi/schema/limits.ts";
import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import type { Step, Tx } from "../../core/store.ts";
import { secretAbout } from "../messages/sealed-columns.ts";
import { newSecret } from "../messages/signature.ts";
import { auditedOptions, columnsOf, type GivenOptions, type OptionTools } from "./option-values.ts";

export interface SubscriberInput extends GivenOptions {
  /** Null: every project, later ones too. */
  projectId: string | null;
  url: string;
}

/** The secret is shown this once. */
export async function addSubscriber({
  ctx,
  tools,
  input: { projectId, ...options },
}: {
  ctx: Context;
  tools: OptionTools;
  input: SubscriberInput;
}): Promise<{ id: string; secret: string }> {
  requireAdmin(ctx);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const { types = [], reportTypes = [], headers = null } = options;
  const given = await columnsOf(id, { ...options, types, reportTypes, headers }, tools);
  const secret = newSecret();
  const columns = {
    ...{ id, project_id: projectId, ...given },
    ...{ secret: tools.sealing.seal(secret, secretAbout(id)), state: "active", created_at: now },
    ...{ failures: 0, openings: 0 },
  };
  const names = Object.keys(columns);
  const audited = Object.entries(auditedOptions(given)).filter(([, value]) => value !== null);
  return ctx.store.write(function* (tx) {
    yield* requireRoomStep(tx, projectId);
    yield* tx.run(
      `insert into subscriber (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")})`,
      Object.values(columns),
    );
    yield* audit(tx, ctx, auditId, "subscriber.add", `subscriber ${id}`, {
      to: { project: projectId, ...Object.fromEntries(audited) },
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
