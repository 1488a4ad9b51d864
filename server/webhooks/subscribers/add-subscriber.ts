import { limits } from "../../../openapi/schema/limits.ts";
import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { requireName } from "../../core/names.ts";
import type { Sealing } from "../../core/sealing.ts";
import type { Step, Tx } from "../../core/store.ts";
import type { Addresses } from "../addresses/addresses.ts";
import type { MessageType } from "../messages/message.ts";
import { headersAbout, secretAbout } from "../messages/sealed-columns.ts";
import { newSecret } from "../messages/signature.ts";
import { requireAddress, requireReportTypes, typesOf } from "./subscriber-fields.ts";

export interface SubscriberInput {
  /** Null: every project, later ones too. */
  projectId: string | null;
  url: string;
  /** For people; absent: its host. */
  name?: string | undefined;
  /** Empty: reports. */
  types: readonly MessageType[];
  /** Types of reports, as the envelope says; empty: any. */
  reportTypes: readonly string[];
  /** As `parseOwnHeaders` gives them. */
  headers?: Record<string, string> | undefined;
}

/** The secret is shown this once. */
export async function addSubscriber({
  ctx,
  tools: { sealing, addresses },
  input,
}: {
  ctx: Context;
  tools: { sealing: Sealing; addresses: Addresses };
  input: SubscriberInput;
}): Promise<{ id: string; secret: string }> {
  requireAdmin(ctx);
  const { projectId, headers } = input;
  const url = await requireAddress(addresses, input.url);
  const name = input.name === undefined ? null : requireName(input.name);
  const types = typesOf(input.types);
  const reportTypes = requireReportTypes(input.reportTypes);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const secret = newSecret();
  const names = headers && Object.keys(headers);
  const row = [
    id,
    projectId,
    url.href,
    JSON.stringify(types),
    reportTypes.length === 0 ? null : JSON.stringify(reportTypes),
    names ? JSON.stringify(names) : null,
    headers ? sealing.seal(JSON.stringify(headers), headersAbout(id)) : null,
    sealing.seal(secret, secretAbout(id)),
    now,
    name,
  ];
  return ctx.store.write(function* (tx) {
    yield* requireRoomStep(tx, projectId);
    yield* tx.run(
      `insert into subscriber (id, project_id, url, event_types, report_types, header_names, headers, secret, state,
         created_at, name, failures, openings)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'active', $9, $10, 0, 0)`,
      row,
    );
    yield* audit(tx, ctx, auditId, "subscriber.add", `subscriber ${id}`, {
      // Paths and queries of such addresses are often secrets themselves.
      to: { project: projectId, url: url.origin, types, reportTypes, headers: names ?? [] },
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
