import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Who } from "../../parts/who.tsx";
import { mentionAt, type Name } from "./mentions.ts";

/** A field for the text of a comment. After an `@` it offers members to mention; Ctrl+Enter sends the comment. */
export function MentionField({
  name,
  label,
  placeholder,
  text,
  people,
  wrong,
  focused = false,
  onText,
  onSend,
  onEscape,
}: {
  /** Name of this field; each field of the page has a different one. */
  name: string;
  label: string;
  placeholder?: string;
  text: string;
  people: readonly Name[];
  wrong: string | undefined;
  /** Whether the field takes the focus when it appears, with the caret at the end of the text. */
  focused?: boolean;
  onText: (text: string) => void;
  onSend: () => void;
  onEscape: (field: HTMLTextAreaElement | null) => void;
}) {
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!focused) return;
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
  }, []);

  // The caret is set after the text was rendered, because setting the text moves the caret to its end.
  const wanted = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    area.current?.focus();
    area.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  }, [text]);

  const mention = closed ? undefined : mentionAt(text, caret, people);
  const index = mention ? Math.min(at, mention.found.length - 1) : 0;

  function type(next: string) {
    onText(next);
    setClosed(false);
    setAt(0);
  }

  function insert(person: Name) {
    if (!mention) return;
    const next = `${text.slice(0, mention.from)}@${person.name} ${text.slice(caret)}`;
    type(next);
    const place = mention.from + person.name.length + 2;
    wanted.current = place;
    setCaret(place);
  }

  function key(event: KeyboardEvent) {
    if (event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return onSend();
    }
    if (event.key === "Escape") {
      // Escape closes the list first and the field next; the card stays open.
      event.preventDefault();
      if (mention) setClosed(true);
      else onEscape(area.current);
      return;
    }
    const person = mention?.found[index];
    if (!mention || !person) return;
    if (event.key === "Enter" || event.key === "Tab") {
      event.preventDefault();
      insert(person);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((index + step + mention.found.length) % mention.found.length);
  }

  const list = `${name}-mentions`;
  return (
    <div class="grow menu-anchor mentions">
      {mention && (
        <div class="menu opens-up" role="listbox" id={list} aria-label="Members">
          {mention.found.map((person, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names this one as active
            <div
              key={person.id}
              id={`${list}-${i}`}
              role="option"
              aria-selected={i === index}
              data-at={i === index || undefined}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => insert(person)}
            >
              <Who kind="member" name={person.name} />
              <span class="ellipsis" dir="auto">
                {person.name}
              </span>
            </div>
          ))}
        </div>
      )}
      <textarea
        ref={area}
        class="field"
        dir="auto"
        rows={Math.min(8, text.split("\n").length)}
        placeholder={placeholder}
        aria-label={label}
        aria-controls={mention && list}
        aria-activedescendant={mention ? `${list}-${index}` : undefined}
        aria-invalid={wrong !== undefined}
        value={text}
        onInput={(event) => {
          type(event.currentTarget.value);
          setCaret(event.currentTarget.selectionStart);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={key}
      />
      {wrong !== undefined && (
        <p class="text-err small" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}
