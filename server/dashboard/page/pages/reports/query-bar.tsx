import { useEffect, useId, useRef, useState } from "preact/hooks";
import { compact, whole } from "../../core/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { askingAt, completed, inBar, isFilter, queryOf, termsOf } from "../report/terms.ts";
import type { Range } from "./range.ts";
import { type Choice, useChoices } from "./suggestions.ts";
import type { Problem } from "./types.ts";

const pauseMilliseconds = 250;

/** The query bar: filters as pills, and text. It suggests names and values, and reports terms that make no sense. */
export function QueryBar({
  projectId,
  query,
  range,
  problems,
  onQuery,
}: {
  projectId: string;
  query: string;
  range: Range;
  problems: readonly Problem[];
  onQuery: (query: string) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(() => inBar(query).text);
  const [caret, setCaret] = useState(draft.length);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const sent = useRef(query);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const { pills } = inBar(query);
  const asking = askingAt(draft, caret);
  const choices = useChoices(projectId, open ? asking : undefined, range);

  // The query was changed from outside: by a click on a tag, by Back or by a link.
  useEffect(() => {
    if (query === sent.current) return;
    sent.current = query;
    setDraft(inBar(query).text);
  }, [query]);
  useEffect(() => () => clearTimeout(pause.current), []);

  function send(next: readonly string[], text: string) {
    clearTimeout(pause.current);
    const all = queryOf({ pills: [...new Set(next)], text });
    if (all === sent.current) return;
    sent.current = all;
    onQuery(all);
  }

  /** A filter becomes a pill once it is finished; text is searched while it is typed. */
  function typed(text: string, at: number, finished = false) {
    const terms = termsOf(text);
    const done = terms.filter(
      ({ term, at: start }) => isFilter(term) && (finished || at > start + term.length || at < start),
    );
    let rest = text;
    for (const { term, at: start } of done.toReversed()) {
      rest = rest.slice(0, start) + rest.slice(start + term.length).replace(/^\s/, "");
    }
    if (done.length > 0) rest = rest.trimStart();
    setDraft(rest);
    setCaret(done.length > 0 ? rest.length : at);
    setActive(-1);
    setOpen(true);
    const free = termsOf(rest)
      .map(({ term }) => term)
      .filter((term) => finished || !/^-?[a-z][a-z._]*[^:"\s]*:/i.test(term))
      .join(" ");
    const next = [...pills, ...done.map(({ term }) => term)];
    if (finished || done.length > 0) return send(next, free);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => send(next, free), pauseMilliseconds);
  }

  function choose({ value }: Choice) {
    const next = completed(draft, asking, value);
    const finished = asking.name !== "";
    typed(next.text, next.caret, finished);
    setOpen(true);
    requestAnimationFrame(() => {
      input.current?.focus();
      if (!finished) input.current?.setSelectionRange(next.caret, next.caret);
    });
  }

  function edit(pill: string) {
    const text = [draft.trim(), pill].filter(Boolean).join(" ");
    const others = pills.filter((one) => one !== pill);
    setDraft(text);
    setCaret(text.length);
    send(others, draft.trim());
    input.current?.focus();
  }

  function keyed(event: KeyboardEvent) {
    const shown = open && choices.length > 0;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      setOpen(true);
      const step = key === "ArrowDown" ? 1 : -1;
      setActive(
        choices.length === 0
          ? -1
          : (active + step + (active < 0 && step < 0 ? 1 : 0) + choices.length) % choices.length,
      );
    } else if ((key === "Enter" || (key === "Tab" && !event.shiftKey)) && shown && choices[active]) {
      choose(choices[active]);
    } else if (key === "Enter") {
      typed(draft, caret, true);
      setOpen(false);
    } else if (key === "Escape") {
      if (shown) setOpen(false);
      else input.current?.blur();
    } else if (key === "Backspace" && caret === 0 && input.current?.selectionEnd === 0 && pills.length > 0) {
      edit(pills.at(-1) ?? "");
    } else return;
    event.preventDefault();
  }

  const wrong = new Map(problems.map(({ term, message }) => [term, message]));
  return (
    <div class="query grow">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a click beside the input goes into it, as in any field */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above */}
      <div class="field" onClick={(event) => event.target === event.currentTarget && input.current?.focus()}>
        <Icon name="search" small />
        {pills.map((pill) => (
          <span class={`pill code accent${wrong.has(pill) ? " bad" : ""}`} key={pill} title={wrong.get(pill)}>
            <button type="button" aria-label={`Edit ${pill}`} onClick={() => edit(pill)} dir="auto">
              {pill}
            </button>
            <button
              type="button"
              aria-label={`Remove ${pill}`}
              onClick={() => {
                send(
                  pills.filter((one) => one !== pill),
                  draft,
                );
                input.current?.focus();
              }}
            >
              <Icon name="x" small />
            </button>
          </span>
        ))}
        <input
          ref={input}
          id={id}
          data-query
          role="combobox"
          aria-label="Filter reports"
          aria-expanded={open && choices.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-describedby={problems.length > 0 ? `${id}-wrong` : undefined}
          aria-invalid={problems.length > 0}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          dir="auto"
          placeholder={pills.length === 0 && draft === "" ? "text, level:fatal, tag.name:value, user.id:…" : ""}
          value={draft}
          onInput={({ currentTarget: { value, selectionStart } }) => typed(value, selectionStart ?? value.length)}
          onSelect={({ currentTarget: { selectionStart } }) => setCaret(selectionStart ?? 0)}
          onKeyDown={keyed}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            typed(draft, caret, true);
            setOpen(false);
          }}
        />
        {query !== "" ? (
          <button
            type="button"
            class="btn ghost square clear"
            aria-label="Clear the filter"
            onClick={() => {
              setDraft("");
              send([], "");
              input.current?.focus();
            }}
          >
            <Icon name="x" small />
          </button>
        ) : (
          <kbd class="hide-narrow">/</kbd>
        )}
      </div>
      <div
        id={`${id}-list`}
        class="choices"
        role="listbox"
        aria-label="Suggestions"
        hidden={!open || choices.length === 0}
      >
        {choices.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are those of its input
          <div
            key={choice.value}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(choice)}
          >
            <span class="mono ellipsis" dir="auto">
              {choice.value}
            </span>
            {choice.means !== undefined && <span class="dim ellipsis">{choice.means}</span>}
            {choice.count !== undefined && (
              <span class="right digits dim" title={whole(choice.count)}>
                {compact(choice.count)}
              </span>
            )}
          </div>
        ))}
      </div>
      {problems.length > 0 && (
        <ul class="problems" id={`${id}-wrong`}>
          {problems.map(({ term, at, message }) => (
            <li key={at}>
              <u class="mono" dir="auto">
                {term.slice(0, 60)}
              </u>{" "}
              {message}
            </li>
          ))}
          <li class="dim">{problems.length === 1 ? "It was" : "They were"} left out; the rest is looked for.</li>
        </ul>
      )}
    </div>
  );
}
