import { useEffect, useId, useRef, useState } from "preact/hooks";
import { best } from "../core/fuzzy.ts";
import { shortcuts } from "../core/keys.ts";
import { useLayer } from "../core/layers.ts";
import { go } from "../core/router.ts";
import { say } from "../core/say.ts";
import { Icon, type IconName } from "../parts/icon.tsx";
import { places } from "./places.ts";
import { findCredential, search } from "./search.ts";

interface Entry {
  key: string;
  title: string;
  where: string | null;
  icon: IconName;
  /** Keys that do the same. */
  keys?: string;
  run: () => void;
}

const perKind = 6;
const pauseMilliseconds = 80;
const credential = /^\s*(itk|isk)_[0-9A-Za-z]{36}\s*$/;

/** One field for everything: what this page can do, every page, and every card, report, token or member by its words. */
export default function PaletteDialog({ onClose }: { onClose: () => void }) {
  const id = useId();
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Entry[]>([]);
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  useLayer(onClose);

  const entries = [...local(query), ...found];
  const index = Math.min(chosen, Math.max(0, entries.length - 1));

  useEffect(() => {
    setChosen(0);
    if (credential.test(query)) {
      // The value is looked up at once and leaves the field.
      setQuery("");
      void jumpToCredential(query.trim(), onClose);
      return;
    }
    const text = query.trim();
    if (text.length < 2) {
      setFound([]);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void search(text, stop.signal).then((groups) => {
        if (!stop.signal.aborted) setFound(groups.map((hit) => ({ ...hit, run: () => go(hit.href) })));
      });
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
      setChosen((index + step + entries.length) % entries.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      run(entries[index]);
    }
    // There is one thing to be in.
    if (event.key === "Tab") event.preventDefault();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a press beside it closes it; Escape does the same.
    <div class="scrim top" onMouseDown={(event) => event.target === event.currentTarget && onClose()}>
      <div class="palette" role="dialog" aria-modal="true" aria-label="Search or jump">
        <label class="ask">
          <Icon name="search" />
          <input
            ref={(input) => input?.focus()}
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
          <kbd>Esc</kbd>
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
              onMouseMove={() => setChosen(i)}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} />
              <span class="clip" dir="auto">
                {entry.title}
              </span>
              {entry.where !== null && (
                <span class="dim clip" dir="auto">
                  {entry.where}
                </span>
              )}
              {entry.keys !== undefined && (
                <span class="right row g4">
                  {entry.keys.split(" ").map((key) => (
                    <kbd key={key}>{key.replace("Control+", "Ctrl ").replace("Arrow", "")}</kbd>
                  ))}
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
        {query.trim().length >= 2 && (
          <a class="all" href={`/search?q=${encodeURIComponent(query.trim())}`} onClick={onClose}>
            Search everything for “{query.trim()}”
          </a>
        )}
      </div>
    </div>
  );
}

function local(query: string): Entry[] {
  const commands = shortcuts()
    .filter(({ does, keys }) => does !== undefined && !/^(g |Control\+k|\?)/.test(keys))
    .map(({ does = "", keys, run }) => ({
      key: `do ${keys}`,
      title: does,
      where: null,
      icon: "right" as const,
      keys,
      // The palette gives the focus back first.
      run: () => {
        setTimeout(() => run(new KeyboardEvent("keydown")), 0);
      },
    }));
  const pages = places().map(({ title, where, href, icon }) => ({
    key: `go ${href}`,
    title,
    where,
    icon,
    run: () => go(href),
  }));
  if (query.trim() === "") return [...commands.slice(0, perKind), ...pages];
  return [
    ...best(commands, query, ({ title }) => title, perKind),
    ...best(pages, query, ({ title, where }) => `${title} ${where}`, perKind),
  ];
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
