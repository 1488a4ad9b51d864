import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { Row } from "../core/store.ts";
import { noCredential } from "./credential-steps.ts";

/** One authenticated request as admins see it, with the cause of a refusal that its caller was not told. */
interface LoggedRequest {
  at: string;
  status: number;
  code?: ErrorCode;
  ticketId?: string;
  idempotencyKey?: string;
  replayed: boolean;
  mismatch: boolean;
  /** How many further refused requests this entry stands for: of one minute, only 60 have an entry of their own. */
  unlogged?: number;
}

interface GroupRow extends Row {
  id: string;
  entries: string;
}

/** The authenticated requests of a token, oldest first. */
export async function listRequests({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { tokenId: string };
}): Promise<Page<LoggedRequest>> {
  requireAdmin(ctx);
  const token = await ctx.store.one("select id from api_token where id = $1", [input.tokenId]);
  if (!token) throw noCredential("token", input.tokenId);
  const [group = "", number = -1] = decodeCursor(input.cursor, ["string", "number"]);
  const groups = await ctx.store.all<GroupRow>(
    "select id, entries from api_request_group where token_id = $1 and id >= $2 order by id limit $3",
    [input.tokenId, group, input.limit + 2],
  );
  const rest = groups.flatMap(({ id, entries }) =>
    (JSON.parse(entries) as RequestEntry[])
      .map((entry, i) => ({ group: id, number: i, entry }))
      .filter((found) => id !== group || found.number > number),
  );
  return pageOf(
    rest.slice(0, input.limit + 1),
    input.limit,
    (found) => [found.group, found.number],
    ({ entry: { ms: _, reason: __, differs: ___, ...entry } }) =>
      ({ ...entry, at: new Date(entry.at).toISOString() }) as LoggedRequest,
  );
}
