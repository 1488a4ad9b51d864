import { noticeRuleNames } from "../core/notice-settings.ts";
import type { Reader } from "../core/store.ts";

/** Counting stops here, so that reading the metrics stays quick with a million rows waiting. */
const countedMax = 100_000;
const keptMilliseconds = 5_000;

/** How much work waits, for the metrics. */
export interface Backlog {
  deliveries: number;
  mails: number;
  subscribers: { active: number; paused: number; disabled: number };
  runs: { queued: number; waiting: number; claimed: number; running: number };
  cards: number;
  reports: number;
  /** Open notices by rule. */
  notices: Record<string, number>;
}

interface Indexes {
  cards: { behind(max: number): Promise<number> };
  reports: { behind(max: number): Promise<number> };
}

/**
 * Counts waiting work with indexes alone, each number up to 100,000, at most every five seconds. Undefined while the
 * database cannot be read, so that the other metrics are still served.
 */
export function backlogOf(store: Reader, indexes: Indexes): () => Promise<Backlog | undefined> {
  let countedAt = Number.NEGATIVE_INFINITY;
  let counted: Promise<Backlog | undefined> | undefined;
  return () => {
    if (counted && performance.now() - countedAt < keptMilliseconds) return counted;
    countedAt = performance.now();
    counted = count(store, indexes).catch(() => undefined);
    return counted;
  };
}

async function count(store: Reader, { cards, reports }: Indexes): Promise<Backlog> {
  const runs = async (state: string) =>
    countUpTo(store, `select 1 from agent_run where state = $1 limit ${countedMax}`, [state]);
  return {
    deliveries: await countUpTo(store, `select 1 from delivery where state = 'waiting' limit ${countedMax}`),
    mails: await countUpTo(store, `select 1 from mail where state = 'waiting' limit ${countedMax}`),
    subscribers: await subscribersByState(store),
    runs: {
      queued: await runs("queued"),
      waiting: await runs("waiting"),
      claimed: await runs("claimed"),
      running: await runs("running"),
    },
    cards: await cards.behind(countedMax),
    reports: await reports.behind(countedMax),
    notices: await noticesByRule(store),
  };
}

async function subscribersByState(store: Reader): Promise<Backlog["subscribers"]> {
  const rows = await store.all<{ state: keyof Backlog["subscribers"]; count: number }>(
    "select state, cast(count(*) as integer) as count from subscriber group by state",
  );
  return { active: 0, paused: 0, disabled: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}

async function noticesByRule(store: Reader): Promise<Backlog["notices"]> {
  const rows = await store.all<{ rule: string; count: number }>(
    "select rule, cast(count(*) as integer) as count from notice where cleared_at is null group by rule",
  );
  const counted = Object.fromEntries(rows.map(({ rule, count }) => [rule, count]));
  return Object.fromEntries(noticeRuleNames.map((rule) => [rule, counted[rule] ?? 0]));
}

async function countUpTo(store: Reader, limited: string, params: string[] = []): Promise<number> {
  const sql = `select cast(count(*) as integer) as count from (${limited}) counted`;
  return (await store.one<{ count: number }>(sql, params))?.count ?? 0;
}
