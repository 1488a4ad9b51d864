import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { best, score } from "../core/fuzzy.ts";
import { keyNames } from "../core/key-names.ts";
import { shortcuts } from "../core/keys.ts";
import { useLayer } from "../core/layers.ts";
import { narrow } from "../core/narrow.ts";
import { go } from "../core/router.ts";
import { say } from "../core/say.ts";
import { useTopLayer } from "../core/top-layer.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Keys } from "../parts/keys.tsx";
import { NotFoundYet } from "../parts/not-found-yet.tsx";
import { commands } from "./commands.ts";
import { places } from "./places.ts";
import { findCredential, type Hit, type Results, search } from "./search.ts";

interface Entry {
  key: string;
  title: string;
  where: string | null;
  icon: IconName;
  /** Other words that find the entry. */
  also?: string | undefined;
  /** The shortcut that does the same. */
  keys?: string;
  run: () => void;
}

const perKind = 6;
const nothing: Results = { hits: [] };
const pauseMilliseconds = 80;
const credential = /^\s*(itk|isk)_[0-9A-Za-z]{36}\s*$/;

/**
 * The command palette: one field that finds actions of this page, pages, and cards, reports, tokens or members by their
 * words.
 */
export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [query, setQuery] = useState("");
  const [{ hits, behind }, setFound] = useState<Results>(nothing);
  /** The entry that the arrows or the pointer chose; otherwise the first one. */
  const [chosen, setChosen] = useState<string>();
  const backdrop = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayer(onClose);
  useTopLayer(backdrop);
  useLayoutEffect(() => input.current?.focus(), []);

  const entries = query.trim() === "" ? offered() : ranked(query, hits);
  const index = Math.max(
    0,
    entries.findIndex(({ key }) => key === chosen),
  );

  useEffect(() => {
    setChosen(undefined);
    if (credential.test(query)) {
      // A pasted token or key is looked up at once and removed from the field.
      setQuery("");
      void jumpToCredential(query.trim(), onClose);
      return;
    }
    const text = query.trim();
    if (text.length < 2) {
      setFound(nothing);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void search(text, { signal: stop.signal, found: setFound });
    }, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query]);

  useEffect(() => {
    list.current?.children[index]?.scrollIntoView({ block: "nearest" });
  }, [index]);

  function run(entry: Entry | undefined) {
    if (!entry) return;
    onClose();
    entry.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setChosen(entries[(index + step + entries.length) % entries.length]?.key);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      if (entries.length > 0) return run(entries[index]);
      // Results of the search may still be loading.
      if (query.trim().length < 2) return;
      onClose();
      go(searchAddress(query));
    }
    // The palette has only one control, so Tab stays in it.
    if (event.key === "Tab") event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press beside it closes it; Escape does the same.
    <div
      class="backdrop top"
      popover="manual"
      ref={backdrop}
      onMouseDown={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="palette" role="dialog" aria-modal="true" aria-label="Search or jump">
        <label class="ask">
          <Icon name="search" />
          <input
            ref={input}
            role="combobox"
            aria-label="Search or jump"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={entries.length > 0 ? `${id}-${index}` : undefined}
            placeholder="A page, a card, a report, an id, a pasted token…"
            autocomplete="off"
            spellcheck={false}
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          {narrow.value ? (
            <button type="button" class="btn ghost" onClick={onClose}>
              Cancel
            </button>
          ) : (
            <kbd>Esc</kbd>
          )}
        </label>
        <div class="found" role="listbox" id={`${id}-list`} aria-label="Found" ref={list}>
          {entries.map((entry, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
            <div
              class="hit"
              role="option"
              id={`${id}-${i}`}
              key={entry.key}
              aria-selected={i === index}
              tabIndex={-1}
              onMouseMove={() => setChosen(entry.key)}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} />
              <span class="ellipsis" dir="auto">
                {entry.title}
              </span>
              {entry.where !== null && (
                <span class="dim ellipsis" dir="auto">
                  {entry.where}
                </span>
              )}
              {entry.keys !== undefined && (
                <span class="right row gap-5">
                  <Keys presses={keyNames(entry.keys)} />
                </span>
              )}
            </div>
          ))}
        </div>
        {entries.length === 0 && (
          <p class="none dim" role="status">
            Nothing has these words. Ids, links and tokens can be pasted whole.
          </p>
        )}
        <NotFoundYet {...behind} />
        {query.trim().length >= 2 && (
          <a class="all" href={searchAddress(query)} onClick={onClose}>
            Search everything for “{query.trim()}”
          </a>
        )}
      </div>
    </div>
  );
}

function searchAddress(query: string): string {
  return `/search?q=${encodeURIComponent(query.trim())}`;
}

/** The entries before anything is typed: actions of this page, and pages. */
function offered(): Entry[] {
  return once([...ofPage().slice(0, perKind), ...pages(), ...ofEveryPage()]);
}

/**
 * Sorts the entries: best matches first; among equal matches first actions of this page, then pages, then search
 * results.
 */
function ranked(query: string, hits: readonly Hit[]): Entry[] {
  const all = [
    ...best(ofPage(), (entry) => scoreOf(entry, query), perKind),
    ...best(ofEveryPage(), (entry) => scoreOf(entry, query), perKind),
    ...best(pages(), (entry) => scoreOf(entry, query), perKind),
    // The server also searches texts and ids, so its results count even when the title does not match.
    ...hits.map((hit) => ({ item: { ...hit, run: () => go(hit.href) }, score: score(hit.title, query) ?? 0 })),
  ];
  return once(all.sort((a, b) => Math.floor(b.score) - Math.floor(a.score)).map(({ item }) => item));
}

/** A page and every page may have the same action: only the first is offered. */
function once(entries: readonly Entry[]): Entry[] {
  const titles = new Set<string>();
  return entries.filter(({ key, title }) => {
    if (!key.startsWith("do ")) return true;
    return !titles.has(title) && titles.add(title);
  });
}

/** A match in the other words counts less than one in the title. */
function scoreOf({ title, where, also }: Entry, query: string): number | undefined {
  const titleScore = score(title, query);
  if (titleScore !== undefined) return titleScore;
  const other = score([title, where, also].filter(Boolean).join(" "), query);
  return other === undefined ? undefined : Math.min(1, other);
}

function ofPage(): Entry[] {
  return shortcuts()
    .filter(({ does, common }) => does !== undefined && !common)
    .map(({ does = "", keys, run }) => ({
      key: `do ${keys}`,
      title: does,
      where: null,
      icon: "right" as const,
      keys,
      // The palette gives back the focus before the action runs.
      run: () => {
        setTimeout(() => run(new KeyboardEvent("keydown")), 0);
      },
    }));
}

function ofEveryPage(): Entry[] {
  return commands().map(({ title, icon, also, run }) => ({
    key: `do ${title}`,
    title,
    where: null,
    icon,
    also,
    // Another dialog is opened after this one has closed.
    run: () => {
      setTimeout(run, 0);
    },
  }));
}

function pages(): Entry[] {
  return places().map(({ title, where, href, icon }) => ({
    key: `go ${href}`,
    title,
    where,
    icon,
    run: () => go(href),
  }));
}

async function jumpToCredential(value: string, onClose: () => void) {
  const found = await findCredential(value).catch(() => undefined);
  if (found) {
    onClose();
    go(found.href);
  } else {
    say("No token or key of this installation has that value.", { bad: true });
  }
}
