import { Refusal } from "../core/context.ts";
import type { Reach } from "../core/fields.ts";
import type { Step, Tx } from "../core/store.ts";

/** Replaces the list of projects that a token reaches; an archived project may be on it, an unknown one may not. */
export function* setReachStep(tx: Tx, tokenId: string, reach: Reach): Step<void> {
  yield* tx.run("delete from api_token_project where token_id = $1", [tokenId]);
  if (reach === "all") return;
  for (const projectId of new Set(reach)) {
    const project = yield* tx.one("select id from project where id = $1", [projectId]);
    if (!project) throw new Refusal("project_not_found", `there is no project ${projectId}`);
    yield* tx.run("insert into api_token_project (token_id, project_id) values ($1, $2)", [tokenId, projectId]);
  }
}
