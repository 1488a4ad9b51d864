import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CallFailed } from "../../core/api.ts";
import { useChanges, useReconnected } from "../../core/live.ts";
import { failureOf } from "../../core/load.ts";
import { readReport, readReports } from "../report/calls.ts";
import { countOf, indexOf, type Page, without, withPage, withRow } from "./pages.ts";
import { type Range, rangeQuery } from "./range.ts";
import type { Problem, ReportList } from "./types.ts";

/** The loaded part of the list of reports, and the number of reports that arrived since. */
export interface Feed {
  pages: readonly Page[];
  count: number;
  problems: readonly Problem[];
  /** How often the list was started again from its newest report. */
  turn: number;
  /** True until the first page is loaded. */
  loading: boolean;
  failed: CallFailed | undefined;
  more: boolean;
  /** The time of receipt at which the server stopped searching: older reports may match too. */
  lookedBackTo: string | undefined;
  /** New reports that the query does not find yet. */
  behind: number;
  /** The number of reports that arrived since, and whether there may be more. */
  fresh: { count: number; more: boolean };
  loadNext: () => void;
  /** Loads a page again whose rows were dropped. */
  load: (page: number) => void;
  /** Starts the list again with the newest report. */
  renew: () => void;
  remove: (ids: readonly string[]) => void;
}

interface State {
  key: string;
  turn: number;
  pages: readonly Page[];
  problems: readonly Problem[];
  failed: CallFailed | undefined;
  lookedBackTo: string | undefined;
  behind: number;
  fresh: { count: number; more: boolean };
}

const pauseMilliseconds = 400;
/** Changed rows that are loaded again at most, one by one. */
const lookedAtMax = 5;
/** While the query does not find all new reports, it is asked again after this time. */
const againMilliseconds = 1_000;
const none = { count: 0, more: false };

export function useFeed(
  projectId: string,
  query: string,
  range: Range,
  /** Whether rows may move: not while a person reads the list, points at a row or has focused one. */
  mayMove: () => boolean,
): Feed {
  const key = JSON.stringify([projectId, query, range]);
  const [state, setState] = useState<State>(() => empty(key));
  const latest = useRef(state);
  latest.current = state;
  const busy = useRef(new Set<string | null>());

  function read(cursor: string | null) {
    return readReports(projectId, { q: query || undefined, ...rangeQuery(range), cursor: cursor ?? undefined });
  }

  async function fetchPage(cursor: string | null, put: (state: State, answer: ReportList) => State) {
    if (busy.current.has(cursor)) return;
    busy.current.add(cursor);
    try {
      const answer = await read(cursor);
      setState((now) => (now.key === key ? { ...put(now, answer), failed: undefined } : now));
    } catch (error) {
      const failed = failureOf(error);
      setState((now) => (now.key === key ? failing(now, failed) : now));
    } finally {
      busy.current.delete(cursor);
    }
  }

  const renew = () => fetchPage(null, (now, answer) => renewed(now, answer));

  useLayoutEffect(() => {
    busy.current = new Set();
    // The results of the last query stay until the answer comes, so that nothing flashes at each typed key.
    setState((now) => ({ ...now, key, failed: undefined }));
    void renew();
  }, [key]);

  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const changedIds = useRef(new Set<string>());
  useEffect(() => () => clearTimeout(pause.current), []);
  useChanges(["report"], (changes) => {
    if (changes !== "resync") {
      const mine = changes.filter((change) => change.in === projectId);
      if (mine.length === 0) return;
      for (const { id } of mine) changedIds.current.add(id);
    }
    pause.current ??= setTimeout(() => {
      pause.current = undefined;
      void follow();
    }, pauseMilliseconds);
  });

  async function follow() {
    if (mayMove()) {
      changedIds.current.clear();
      return renew();
    }
    const known = [...changedIds.current].filter((id) => indexOf(latest.current.pages, id) >= 0);
    changedIds.current.clear();
    for (const id of known.slice(0, lookedAtMax)) await lookAgain(id);
    const answer = await read(null).catch(failureOf);
    if (answer instanceof CallFailed) {
      if (answer.status === 404) setState((now) => (now.key === key ? failing(now, answer) : now));
    } else setState((now) => (now.key === key ? { ...now, ...sinceOf(now.pages, answer) } : now));
  }

  const latestFollow = useRef(follow);
  latestFollow.current = follow;
  const isBehind = state.behind > 0;
  useEffect(() => {
    if (!isBehind) return;
    const again = setInterval(() => void latestFollow.current(), againMilliseconds);
    return () => clearInterval(again);
  }, [isBehind]);

  /** Loads one report again: it may have a repeat, or be deleted. */
  async function lookAgain(id: string) {
    const report = await readReport(id).catch((error) => failureOf(error));
    setState((now) => {
      if ("receipt" in report) {
        const row = now.pages.flatMap(({ items }) => items ?? []).find((one) => one.id === id);
        return row ? { ...now, pages: withRow(now.pages, { ...row, received: report.receipt.received }) } : now;
      }
      return report.code === "not_found" ? { ...now, pages: without(now.pages, new Set([id])) } : now;
    });
  }

  useReconnected(() => {
    if (state.failed?.status === 0) void renew();
  });

  const last = state.pages.at(-1);
  return {
    pages: state.pages,
    count: countOf(state.pages),
    problems: state.problems,
    turn: state.turn,
    loading: state.pages.length === 0,
    failed: state.failed,
    more: last?.next != null,
    lookedBackTo: state.lookedBackTo,
    behind: state.behind,
    fresh: state.fresh,
    loadNext: () => {
      const next = last?.next;
      if (next != null) {
        void fetchPage(next, (now, answer) => ({
          ...now,
          pages: withPage(now.pages, pageOf(next, answer)),
          lookedBackTo: answer.lookedBackTo,
        }));
      }
    },
    load: (index) => {
      const page = state.pages[index];
      if (!page || page.items) return;
      void fetchPage(page.cursor, (now, answer) => ({
        ...now,
        pages: withPage(now.pages, { ...pageOf(page.cursor, answer), next: page.next }),
      }));
    },
    renew: () => void renew(),
    remove: (ids) => setState((now) => ({ ...now, pages: without(now.pages, new Set(ids)) })),
  };
}

function empty(key: string): State {
  return { key, turn: 0, pages: [], problems: [], failed: undefined, lookedBackTo: undefined, behind: 0, fresh: none };
}

/** A failure keeps the list, unless the project is gone. */
function failing(state: State, failed: CallFailed): State {
  return failed.status === 404 ? { ...empty(state.key), turn: state.turn, failed } : { ...state, failed };
}

function renewed({ key, turn }: State, answer: ReportList): State {
  return {
    key,
    turn: turn + 1,
    pages: [pageOf(null, answer)],
    problems: answer.problems,
    failed: undefined,
    lookedBackTo: answer.lookedBackTo,
    behind: answer.behind ?? 0,
    fresh: none,
  };
}

function pageOf(cursor: string | null, { items, next }: ReportList): Page {
  return { cursor, count: items.length, items, next };
}

function sinceOf(pages: readonly Page[], answer: ReportList): Pick<State, "behind" | "fresh"> {
  return { behind: answer.behind ?? 0, fresh: freshOf(pages, answer) };
}

/** How many of the newest reports come before the first one that is shown. */
function freshOf(pages: readonly Page[], { items, next }: ReportList): { count: number; more: boolean } {
  const shown = new Set(pages[0]?.items?.map(({ id }) => id));
  const firstShown = items.findIndex(({ id }) => shown.has(id));
  return firstShown < 0 ? { count: items.length, more: next !== null } : { count: firstShown, more: false };
}
