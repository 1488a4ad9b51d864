import { useEffect, useState } from "preact/hooks";
import { place, setQuery } from "../../core/router.ts";
import { Icon } from "../../parts/icon.tsx";
import { NotFoundYet } from "../../parts/not-found-yet.tsx";
import { Empty } from "../../parts/states.tsx";
import { Bar, crumbsOf } from "../../shell/bar.tsx";
import { type Results, search } from "../../shell/search.ts";

const kinds: Record<string, string> = {
  card: "Cards",
  report: "Reports",
  board: "Boards",
  project: "Projects",
  member: "Members",
  token: "API tokens",
  page: "Pages",
};
const shownMax = 50;
const pauseMilliseconds = 150;

/** The page of search results, by kind; the words of the search stand in the address. */
export default function Search() {
  const q = place.value.query.get("q") ?? "";
  const [results, setResults] = useState<Results & { q: string }>();
  useEffect(() => {
    if (q.trim().length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const found = (results: Results) => setResults({ q, ...results });
      void search(q.trim(), { signal: stop.signal, limit: shownMax, found });
    }, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [q]);
  const { hits: found, behind } = q.trim().length < 2 || !results ? { hits: [] } : results;
  const groups = Map.groupBy(found, ({ kind }) => kind);
  return (
    <>
      <Bar crumbs={crumbsOf("/search")} />
      <main id="main" class="page">
        <h1 class="sr-only">Search</h1>
        <label class="field">
          <Icon name="search" small />
          <input
            type="search"
            aria-label="Words, an id, or a link"
            placeholder="Words, an id, or a link"
            value={q}
            ref={(input) => {
              if (document.activeElement === document.body) input?.focus();
            }}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        <NotFoundYet {...behind} />
        {[...groups].map(([kind, items]) => (
          <section class="section" key={kind} aria-label={kinds[kind] ?? kind}>
            <h2>
              {kinds[kind] ?? kind} <span class="dim">{items.length === shownMax ? `${shownMax}+` : items.length}</span>
            </h2>
            <div class="sheet">
              {items.map(({ key, title, where, href, icon }) => (
                <a class="hit" href={href} key={key}>
                  <Icon name={icon} />
                  <span class="ellipsis" dir="auto">
                    {title}
                  </span>
                  <span class="dim ellipsis right" dir="auto">
                    {where}
                  </span>
                </a>
              ))}
            </div>
          </section>
        ))}
        {results?.q === q && found.length === 0 && q.trim().length >= 2 && (
          <Empty>Nothing has these words. Titles are searched, and the messages of reports.</Empty>
        )}
        {q.trim().length < 2 && <p class="dim">Two letters or more.</p>}
      </main>
    </>
  );
}
