import { Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { requireScope } from "../credentials/authenticate.ts";

/** The token as stored now, which may have changed since the request came in. */
export function* executorStep(tx: Tx, tokenId: string): Step<void> {
  const token = yield* tx.one<Row & { scopes: string }>(
    "select scopes from api_token where id in ($1) and revoked_at is null",
    [tokenId],
  );
  if (!token) throw new Refusal("invalid_api_token");
  requireScope(token, "runs:execute");
}

/** Whether the token reaches a project. */
export function* reachesStep(tx: Tx, tokenId: string, projectId: string): Step<boolean> {
  const found = yield* tx.one(`select 1 as yes where ${reachSql("$2", "$1")}`, [tokenId, projectId]);
  return found !== undefined;
}

/** Reads as a condition: the token `token` reaches the project `project`. */
export function reachSql(project: string, token: string): string {
  return `(exists (select 1 from api_token k where k.id = ${token} and k.reaches_all = 1)
    or exists (select 1 from api_token_project k where k.token_id = ${token} and k.project_id = ${project}))`;
}
