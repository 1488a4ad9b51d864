import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { Opened } from "./opened.tsx";

export interface Option {
  id: string;
  label: string;
  icon?: ComponentChildren;
  hint?: string;
}

/**
 * Chooses one entry of a list with the arrows, by typing a part of its name, or by a click (ARIA listbox with a
 * combobox above).
 */
export function PickList({
  label,
  options,
  chosen,
  search = options.length > 7,
  onPick,
}: {
  label: string;
  options: readonly Option[];
  chosen?: string | undefined;
  search?: boolean;
  onPick: (id: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState("");
  const found = options.filter((option) => option.label.toLowerCase().includes(text.toLowerCase()));
  const [at, setAt] = useState(
    Math.max(
      0,
      options.findIndex((option) => option.id === chosen),
    ),
  );
  const box = useRef<HTMLDivElement>(null);
  const index = Math.min(at, found.length - 1);
  useEffect(() => {
    box.current?.querySelector<HTMLElement>(search ? "input" : "[role=listbox]")?.focus();
  }, []);
  useEffect(() => {
    box.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" });
  }, [index]);

  function key(event: KeyboardEvent) {
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: found.length - 1 }[event.key];
    if (to !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((to + found.length) % found.length);
    }
    const option = found[index];
    if ((event.key === "Enter" || (event.key === " " && !search)) && option) {
      event.preventDefault();
      onPick(option.id);
    }
  }

  const active = found[index] ? `${id}-${index}` : undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what has the focus inside has a role
    <div class="pick" ref={box} onKeyDown={key}>
      {search && (
        <span class="field">
          <Icon name="search" small />
          <input
            role="combobox"
            aria-label={label}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={active}
            placeholder={label}
            value={text}
            data-focus
            onInput={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
          />
        </span>
      )}
      <div
        role="listbox"
        id={`${id}-list`}
        aria-label={label}
        tabIndex={search ? -1 : 0}
        aria-activedescendant={search ? undefined : active}
        data-focus={search ? undefined : true}
      >
        {found.map((option, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names this one as active
          <div
            key={option.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={option.id === chosen}
            data-at={i === index || undefined}
            onClick={() => onPick(option.id)}
            onPointerMove={() => i !== index && setAt(i)}
          >
            {option.icon}
            <span class="ellipsis" dir="auto">
              {option.label}
            </span>
            {option.hint !== undefined && <span class="dim ellipsis">{option.hint}</span>}
            {option.id === chosen && (
              <span class="right">
                <Icon name="check" small />
              </span>
            )}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="more">Nothing is named so.</p>}
    </div>
  );
}

/** A button that shows a value and opens a control to change it. The shown value is the name of the button. */
export function Popover({
  label,
  open,
  onOpen,
  children,
  content,
  class: name = "value",
}: {
  label: string;
  open: boolean;
  onOpen: (open: boolean) => void;
  children: ComponentChildren;
  content: () => ComponentChildren;
  class?: string;
}) {
  return (
    <span class="menu-anchor">
      <button type="button" class={name} aria-haspopup="dialog" aria-expanded={open} onClick={() => onOpen(!open)}>
        {children}
      </button>
      {open && <Content label={label} onClose={() => onOpen(false)} content={content} />}
    </span>
  );
}

function Content({
  label,
  content,
  onClose,
}: {
  label: string;
  content: () => ComponentChildren;
  onClose: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const inside = box.current;
    if (inside?.contains(document.activeElement)) return;
    inside?.querySelector<HTMLElement>("input, select, button, textarea, [tabindex]")?.focus();
  }, []);
  return (
    <Opened box={box} edge="start" label={label} onClose={onClose}>
      <div
        class="menu popover"
        role="dialog"
        aria-label={label}
        ref={box}
        onFocusOut={(event) => {
          const to = event.relatedTarget as Node | null;
          if (to && !box.current?.closest(".menu-anchor")?.contains(to)) onClose();
        }}
      >
        {content()}
      </div>
    </Opened>
  );
}
