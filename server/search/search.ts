import { isUuid } from "../../openapi/check.ts";
import { behindMax } from "../core/behind-max.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Reader } from "../core/store.ts";
import { searchReports } from "../reports/search-reports.ts";
import { findByShortId, findByWords, prefixMax } from "../tickets/card-index.ts";
import { cardWords, foldedTitle } from "../tickets/card-words.ts";
import { summariesOf } from "../tickets/list-cards.ts";
import { findId } from "./find-id.ts";
import { findNames } from "./find-names.ts";
import { type Hit, type HitGroup, type HitKind, hitKinds } from "./hit.ts";

interface Query {
  q: string;
  /** How many hits of each kind. */
  limit: number;
  /** Kinds to search; undefined: all of them. */
  kinds: readonly HitKind[] | undefined;
}

/** How many cards and reports are stored and not in the search index yet, counted up to a number. */
export interface SearchIndexes {
  cards: { behind(max: number): Promise<number> };
  reports: { behind(max: number): Promise<number> };
}

interface Found {
  groups: HitGroup[];
  /** Present when new cards or reports are not in the index yet, so that words do not find them. */
  behind?: { cards: number; reports: number };
}

const wordsMax = 8;
/** Cards that are read to check words longer than the prefixes of the index. */
const candidates = 200;
const textMax = 500;

/** Finds what a few letters, an id or a pasted address may mean; the best hits first. */
export async function search({
  ctx,
  indexes,
  input,
}: {
  ctx: Context;
  indexes: SearchIndexes;
  input: Query;
}): Promise<Found> {
  requireMember(ctx);
  const isAdmin = ctx.actor.kind !== "member" || ctx.actor.role === "admin";
  // No stored text has a U+0000, and PostgreSQL takes none as a parameter.
  const q = input.q.replaceAll("\0", " ").trim().slice(0, textMax);
  const id = idIn(q);
  if (id) return { groups: await findId(ctx.store, id, { isAdmin }) };
  if (q.length < 2) return { groups: [] };

  const words = wordsOf(q);
  const wanted = (kind: HitKind) => input.kinds === undefined || input.kinds.includes(kind);
  // Counted before the search, so that what is indexed in between is found or counted.
  const behind = {
    cards: wanted("card") ? await indexes.cards.behind(behindMax) : 0,
    reports: wanted("report") ? await indexes.reports.behind(behindMax) : 0,
  };
  const groups: HitGroup[] = [];
  if (wanted("card")) groups.push({ kind: "card", items: await cardsOf(ctx, q, words, input.limit) });
  if (wanted("report")) groups.push({ kind: "report", items: await reportsOf(ctx, q, input.limit) });
  groups.push(...(await findNames(ctx.store, { q, limit: input.limit, isAdmin })).filter(({ kind }) => wanted(kind)));
  const found = groups.filter(({ items }) => items.length > 0);
  return {
    groups: found.sort((a, b) => hitKinds.indexOf(a.kind) - hitKinds.indexOf(b.kind)),
    ...(behind.cards > 0 || behind.reports > 0 ? { behind } : {}),
  };
}

/** The id that the text is, or the last id in an address. */
function idIn(q: string): string | undefined {
  const id = isUuid(q) ? q : /^https?:\/\/\S+\/([0-9a-f-]{36})\/?(?:[?#]\S*)?$/i.exec(q)?.[1];
  return id !== undefined && isUuid(id) ? id.toLowerCase() : undefined;
}

/** Single letters begin too many words to be of use. */
function wordsOf(q: string): string[] {
  return cardWords(q)
    .filter((word) => word.length > 1)
    .slice(0, wordsMax);
}

async function cardsOf(ctx: Context, q: string, words: readonly string[], limit: number): Promise<Hit[]> {
  const short = /^#?([0-9a-f]{6})$/i.exec(q)?.[1];
  const named = short === undefined ? [] : await findByShortId(ctx.store, short, limit);
  const long = words.filter((word) => word.length > prefixMax);
  const wanted = long.length > 0 ? candidates : 2 * limit;
  const ids = [...new Set([...named, ...(await findByWords(ctx.store, words, wanted))])];
  const { items } = await summariesOf({ ctx, input: { ids } });
  const boards = new Map<string, string | null>();
  const hits: Hit[] = [];
  for (const { id, title, boardId, archivedAt, deletedAt } of items) {
    if (deletedAt !== null || hits.length === limit) continue;
    if (!named.includes(id) && !long.every((word) => foldedTitle(title).includes(word))) continue;
    if (!boards.has(boardId)) boards.set(boardId, await boardName(ctx.store, boardId));
    const where = archivedAt === null ? (boards.get(boardId) ?? null) : "Archived";
    hits.push({ id, title, where, href: `/cards/${id}`, exact: named.includes(id) });
  }
  return hits;
}

async function boardName(store: Reader, id: string): Promise<string | null> {
  const row = await store.one<{ name: string }>("select name from board where id = $1", [id]);
  return row?.name ?? null;
}

async function reportsOf(ctx: Context, query: string, limit: number): Promise<Hit[]> {
  const found = await searchReports({ ctx, input: { query, limit } });
  return found.map(({ id, title, projectName, exact }) => ({
    id,
    title: title ?? "",
    where: projectName,
    href: `/reports/${id}`,
    exact,
  }));
}
