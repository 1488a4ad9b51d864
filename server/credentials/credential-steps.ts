import { Refusal } from "../core/context.ts";
import { credentialNames, hashOf } from "../core/credential.ts";
import { columnsOf, type Fields, type NewFields, withDefaults } from "../core/fields.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Reader, Row, Step, Tx, Value } from "../core/store.ts";
import { insertStep } from "../core/write-row.ts";
import type { Credential } from "./credential-kinds.ts";

/** Stores a new API token or SDK key; of its text only the SHA-256, unless `more` has a column for the text. */
export function* addCredentialStep<F extends Fields, R extends Row>(
  tx: Tx,
  { table, fields, relateStep }: Pick<Credential<F, R>, "table" | "fields" | "relateStep">,
  credential: { id: string; text: string; now: number; given: NewFields<F>; more: Record<string, Value> },
): Step<void> {
  const { id, text, now, given, more } = credential;
  const values = withDefaults(fields, given);
  const columns = { id, ...columnsOf(fields, values), hash: hashOf(text), created_at: now, ...more };
  yield* insertStep(tx, table, columns);
  yield* relateStep(tx, id, values);
}

/** Reads a credential that is not revoked; a revoked one is refused with `revoked`. */
export function* activeCredentialStep<F extends Fields, R extends Row>(
  tx: Tx,
  { kind, table }: Credential<F, R>,
  id: string,
  revoked: string,
): Step<R> {
  const row = yield* tx.one<R>(`select * from ${table} where id = $1`, [id]);
  if (!row) throw noCredential(kind, id);
  if (row["revoked_at"] !== null) throw new Refusal("conflict", revoked);
  return row;
}

export function noCredential(kind: Credential<Fields, Row>["kind"], id: string): Refusal {
  return new Refusal("not_found", `there is no ${credentialNames[kind]} ${id}`);
}

/** Rows of credentials, oldest first. Revoked ones are included, because they are authors of what they created. */
export async function readCredentials<R extends { id: string } & Row>(
  store: Reader,
  table: Credential<Fields, Row>["table"],
  { cursor, limit, projectId }: PageInput & { projectId?: string | undefined },
): Promise<Page<R>> {
  const [after = ""] = decodeCursor(cursor, ["string"]);
  const [where, params] = projectId === undefined ? ["", []] : ["project_id = $3 and ", [projectId]];
  const rows = await store.all<R>(`select * from ${table} where ${where}id > $1 order by id limit $2`, [
    after,
    limit + 1,
    ...params,
  ]);
  return pageOf(
    rows,
    limit,
    ({ id }) => [id],
    (row) => row,
  );
}
