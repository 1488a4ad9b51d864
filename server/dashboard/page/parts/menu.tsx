import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLayer } from "../core/layers.ts";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  run: () => void;
}

/** A button that opens a list of acts (ARIA menu button). */
export function Menu({
  label,
  items,
  children,
  class: name = "btn ghost icon",
}: {
  label: string;
  items: readonly MenuItem[];
  children?: ComponentChildren;
  class?: string;
}) {
  const [open, setOpen] = useState(false);
  return (
    <span class="menu-anchor">
      <button
        type="button"
        class={name}
        aria-label={children === undefined ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {children ?? <Icon name="dots" />}
      </button>
      {open && <MenuList label={label} items={items} onClose={() => setOpen(false)} />}
    </span>
  );
}

function MenuList({ label, items, onClose }: { label: string; items: readonly MenuItem[]; onClose: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  useLayer(onClose);
  useEffect(() => {
    (list.current?.firstElementChild as HTMLElement | null)?.focus();
    const outside = (event: MouseEvent) => {
      if (!list.current?.parentElement?.contains(event.target as Node)) onClose();
    };
    addEventListener("mousedown", outside);
    return () => removeEventListener("mousedown", outside);
  }, []);

  function move(event: KeyboardEvent) {
    const all = [...(list.current?.children ?? [])] as HTMLElement[];
    const index = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Tab") onClose();
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length]?.focus();
  }

  return (
    <div class="menu" role="menu" aria-label={label} tabIndex={-1} ref={list} onKeyDown={move}>
      {items.map(({ label, icon, danger, run }) => (
        <button
          type="button"
          role="menuitem"
          key={label}
          tabIndex={-1}
          class={danger ? "t-err" : undefined}
          onClick={() => {
            onClose();
            run();
          }}
        >
          {icon && <Icon name={icon} small />}
          {label}
        </button>
      ))}
    </div>
  );
}
