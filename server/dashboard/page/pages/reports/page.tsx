import { useEffect, useRef, useState } from "preact/hooks";
import { compact } from "../../core/format.ts";
import { useShortcuts } from "../../core/keys.ts";
import { single } from "../../core/narrow.ts";
import type { PageProps } from "../../core/page-props.ts";
import { Icon } from "../../parts/icon.tsx";
import { NotFoundYet } from "../../parts/not-found-yet.tsx";
import { Failed, Rows } from "../../parts/states.tsx";
import { Bar, projectName } from "../../shell/bar.tsx";
import { Detail } from "../report/detail.tsx";
import { closeReport, listPlace, openReport, setListQuery } from "../report/place.ts";
import { withTerm } from "../report/terms.ts";
import { Arrivals } from "./arrivals.tsx";
import { Bulk } from "./bulk.tsx";
import { useFeed } from "./feed.ts";
import { List } from "./list.tsx";
import { NoReports } from "./none.tsx";
import { indexOf, rowAt } from "./pages.ts";
import { QueryBar } from "./query-bar.tsx";
import { type Range, rangeIn, rangeQuery } from "./range.ts";
import { RangeChoice, RangeMenu } from "./range-choice.tsx";
import { useSelection } from "./selection.ts";
import { Volume } from "./volume.tsx";

/** The reports of a project: the query, a chart of when they were received, the list, and one report beside it. */
export default function Reports({ params }: PageProps) {
  const projectId = params["project"] ?? "";
  const { query: address, open } = listPlace(projectId);
  const query = address.get("q") ?? "";
  const range = rangeIn(address);

  const pane = useRef<HTMLDivElement>(null);
  const atTop = useRef(true);
  const [focused, setFocused] = useState<string>();
  const mayMove = () =>
    atTop.current &&
    !document.hidden &&
    pane.current?.matches(":hover") !== true &&
    pane.current?.contains(document.activeElement) !== true &&
    selection.ids.size === 0;
  const feed = useFeed(projectId, query, range, mayMove);
  const selection = useSelection(feed.pages);
  const current = open ?? focused;
  // The selection is cleared with another query, so that no report is deleted that the list does not show.
  useEffect(() => selection.clear(), [projectId, query, JSON.stringify(range)]);

  const setQuery = (q: string) => setListQuery({ q });
  const setRange = (next: Range) => setListQuery({ since: undefined, until: undefined, ...rangeQuery(next) });

  function step(by: number, extend = false) {
    const at = current === undefined ? -1 : indexOf(feed.pages, current);
    const next = rowAt(feed.pages, at < 0 ? 0 : Math.max(0, Math.min(feed.count - 1, at + by)))?.row;
    if (!next) return;
    if (extend) {
      if (current !== undefined && !selection.has(current)) selection.toggle(current);
      selection.toggle(next.id, current !== undefined);
    }
    setFocused(next.id);
    if (open !== undefined && !extend) openReport(next.id);
    // The row may have to be rendered first.
    requestAnimationFrame(() => rowElement(pane.current, next.id)?.focus({ preventScroll: true }));
  }

  useShortcuts([
    { keys: "j", does: "Next report", run: () => step(1) },
    { keys: "k", does: "Previous report", run: () => step(-1) },
    { keys: "]", run: () => step(1) },
    { keys: "[", run: () => step(-1) },
    { keys: "J", does: "Select and go on", run: () => step(1, true) },
    { keys: "K", does: "Select and go back", run: () => step(-1, true) },
    { keys: "x", does: "Select the report", run: () => current !== undefined && selection.toggle(current) },
    { keys: "/", does: "Filter the reports", run: focusQuery },
    { keys: "f", run: focusQuery },
    { keys: "F", does: "Clear the filter", run: () => setQuery("") },
    {
      keys: "Escape",
      does: "Close the report, or let the selection go",
      run: () => (selection.ids.size > 0 ? selection.clear() : close()),
    },
  ]);

  function close() {
    if (open === undefined) return;
    setFocused(open);
    closeReport();
    requestAnimationFrame(() => rowElement(pane.current, open)?.focus({ preventScroll: true }));
  }

  const nothing = !feed.loading && feed.count === 0 && !feed.more;
  const bare = nothing && open === undefined;
  // A narrow window has no room for both, so it shows either the list or the report.
  const covered = single.value && open !== undefined;
  return (
    <>
      <div class="contents" inert={covered}>
        <Bar switcher crumbs={[{ text: projectName(projectId), to: `/p/${projectId}` }, "Reports"]}>
          <Arrivals projectId={projectId} />
          <RangeMenu range={range} onRange={setRange} />
        </Bar>
      </div>
      <main id="main" class="reports">
        <h1 class="sr-only">Reports of {projectName(projectId)}</h1>
        <div class="contents" inert={covered}>
          <div class="tools">
            <QueryBar projectId={projectId} query={query} range={range} problems={feed.problems} onQuery={setQuery} />
            <RangeChoice range={range} onRange={setRange} />
          </div>
          <Volume
            projectId={projectId}
            query={query}
            range={range}
            onRange={(since, until) => setRange({ since, until })}
          />
        </div>
        <div class={`split${bare ? " bare" : ""}`}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows walk along the links that are in it */}
          <div
            class="pane"
            ref={pane}
            inert={covered}
            onFocusIn={(event) => {
              const id = (event.target as HTMLElement).dataset["row"];
              if (id !== undefined) setFocused(id);
            }}
            onKeyDown={(event) => {
              const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
              if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              step(by, event.shiftKey);
            }}
          >
            {feed.fresh.count > 0 && (
              <button type="button" class="btn fresh" onClick={feed.renew}>
                {feed.fresh.more ? `${compact(feed.fresh.count)}+ new` : `${compact(feed.fresh.count)} new`}
                <Icon name="down" small />
              </button>
            )}
            <NotFoundYet reports={feed.behind} />
            {feed.failed && <Failed failed={feed.failed} onRetry={feed.renew} />}
            {feed.loading && !feed.failed && <Rows count={6} height={53} />}
            {nothing && (
              <NoReports projectId={projectId} query={query} range={range} onQuery={setQuery} onRange={setRange} />
            )}
            <List
              feed={feed}
              open={open}
              current={current}
              selection={selection}
              onTop={(top) => {
                atTop.current = top;
              }}
            />
            <Bulk
              selection={selection}
              onDeleted={(ids) => {
                feed.remove(ids);
                if (open !== undefined && ids.includes(open)) closeReport();
              }}
            />
          </div>
          {open !== undefined ? (
            <Detail
              key={open}
              id={open}
              onClose={close}
              onFilter={(term) => {
                setQuery(withTerm(query, term));
                if (single.value) close();
              }}
              onDeleted={() => {
                feed.remove([open]);
                close();
              }}
            />
          ) : (
            !bare && <Hint />
          )}
        </div>
      </main>
    </>
  );
}

function Hint() {
  return (
    <div class="detail nothing">
      <p class="dim">
        Choose a report to read it here. <kbd>J</kbd> <kbd>K</kbd> walk the list, <kbd>Enter</kbd> opens, <kbd>X</kbd>{" "}
        selects.
      </p>
    </div>
  );
}

function focusQuery() {
  document.querySelector<HTMLElement>("[data-query]")?.focus();
}

function rowElement(pane: HTMLElement | null, id: string): HTMLElement | undefined {
  return [...(pane?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].find((row) => row.dataset["row"] === id);
}
