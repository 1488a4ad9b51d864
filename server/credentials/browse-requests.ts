import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { decodeCursor, encodeCursor, type Page, type PageInput } from "../core/page.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { Reader, Row } from "../core/store.ts";

export const requestFilters = ["errors", "replays", "mismatches"] as const;
export type RequestFilter = (typeof requestFilters)[number];

export interface BrowsedRequest {
  at: string;
  status: number;
  code?: ErrorCode;
  /** The cause of a refusal, which the answer did not tell the caller. */
  reason?: string;
  ms?: number;
  /** The ticket that the request created, or that was created for its key before. */
  ticket?: { id: string; title: string | null; projectName: string | null; createdAt: string | null };
  idempotencyKey?: string;
  replayed: boolean;
  mismatch: boolean;
  /** The names of the fields that differ from the first request with the key. */
  differs?: string[];
  unlogged?: number;
}

interface GroupRow extends Row {
  id: string;
  entries: string;
}

/**
 * Groups that are read for one page. When a filter matches few entries, a page is shorter and its cursor continues
 * behind the groups that were read.
 */
const groupsMax = 2_000;
const groupsRead = 64;
/** More entries than any group has: the whole group is read. */
const whole = 1_000_000;

/** What the JSON of a matching entry holds, so that the database skips groups without such an entry. */
const marks: Record<RequestFilter, string> = {
  errors: '%"code":%',
  replays: '%"replayed":true%',
  mismatches: '%"mismatch":true%',
};

const fits: Record<RequestFilter, (entry: RequestEntry) => boolean> = {
  errors: ({ code }) => code !== undefined,
  replays: ({ replayed }) => replayed,
  mismatches: ({ mismatch }) => mismatch,
};

/** Requests of a token for the page, newest first. */
export async function browseRequests({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { tokenId: string; filter?: RequestFilter | undefined };
}): Promise<Page<BrowsedRequest>> {
  requireAdmin(ctx);
  const token = await ctx.store.one("select id from api_token where id = $1", [input.tokenId]);
  if (!token) throw new Refusal("not_found");
  const found: RequestEntry[] = [];
  // An entry's number in its group counts from the oldest entry, so that new entries of the group shift no cursor.
  let [group = "g", number = whole] = decodeCursor(input.cursor, ["string", "number"]);
  for (let looked = 0; looked < groupsMax; looked += groupsRead) {
    const { rows, last } = await readGroups(ctx.store, { ...input, group });
    for (const { id, entries } of rows) {
      const all = JSON.parse(entries) as RequestEntry[];
      for (let i = Math.min(all.length, id === group ? number : all.length) - 1; i >= 0; i--) {
        const entry = all[i] as RequestEntry;
        if (input.filter && !fits[input.filter](entry)) continue;
        if (found.length === input.limit) return present(ctx.store, found, encodeCursor([id, i + 1]));
        found.push(entry);
      }
    }
    if (last === undefined) return present(ctx.store, found, null);
    [group, number] = [last, whole];
  }
  return present(ctx.store, found, encodeCursor([group, number]));
}

/** The next groups that may hold a matching entry; `last` is the id of the group after them, undefined at the end. */
async function readGroups(
  store: Reader,
  { tokenId, filter, group }: { tokenId: string; filter?: RequestFilter | undefined; group: string },
): Promise<{ rows: GroupRow[]; last: string | undefined }> {
  const end = await store.one<{ id: string }>(
    `select id from api_request_group where token_id = $1 and id <= $2
     order by id desc limit 1 offset ${groupsRead}`,
    [tokenId, group],
  );
  const rows = await store.all<GroupRow>(
    `select id, entries from api_request_group
     where token_id = $1 and id <= $2 and id > $3 and ($4 = '' or entries like $4) order by id desc`,
    [tokenId, group, end?.id ?? "", filter ? marks[filter] : ""],
  );
  return { rows, last: end?.id };
}

interface TicketRow extends Row {
  id: string;
  title: string;
  created_at: number;
  project_name: string;
}

async function present(store: Reader, found: readonly RequestEntry[], next: string | null) {
  const tickets = new Map<string, TicketRow>();
  for (const id of new Set(found.flatMap(({ ticketId }) => ticketId ?? []))) {
    const row = await store.one<TicketRow>(
      `select t.id, t.title, t.created_at, p.name as project_name
       from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id
         join project p on p.id = b.project_id
       where t.id in ($1)`,
      [id],
    );
    if (row) tickets.set(id, row);
  }
  return { items: found.map((entry) => view(entry, tickets)), next };
}

function view({ ticketId, at, ...entry }: RequestEntry, tickets: ReadonlyMap<string, TicketRow>): BrowsedRequest {
  const ticket = ticketId === undefined ? undefined : tickets.get(ticketId);
  const madeTicket = ticketId !== undefined && {
    ticket: {
      id: ticketId,
      title: ticket?.title ?? null,
      projectName: ticket?.project_name ?? null,
      createdAt: ticket ? new Date(ticket.created_at).toISOString() : null,
    },
  };
  return { at: new Date(at).toISOString(), ...entry, ...madeTicket } as BrowsedRequest;
}
