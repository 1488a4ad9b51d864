import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";
import { Opened } from "./opened.tsx";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  run: () => void;
}

/** An entry that is a link. */
interface MenuLink {
  label: string;
  icon?: IconName;
  href: string;
}

/** A button that opens a list of actions (ARIA menu button). */
export function Menu({
  label,
  items,
  children,
  class: name = "btn ghost square",
}: {
  label: string;
  items: readonly (MenuItem | MenuLink)[];
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

function MenuList({
  label,
  items,
  onClose,
}: {
  label: string;
  items: readonly (MenuItem | MenuLink)[];
  onClose: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => (list.current?.firstElementChild as HTMLElement | null)?.focus(), []);

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
    <Opened box={list} edge="end" label={label} onClose={onClose}>
      <div class="menu" role="menu" aria-label={label} tabIndex={-1} ref={list} onKeyDown={move}>
        {items.map((item) => (
          <Item key={item.label} item={item} onClose={onClose} />
        ))}
      </div>
    </Opened>
  );
}

function Item({ item, onClose }: { item: MenuItem | MenuLink; onClose: () => void }) {
  const shown = (
    <>
      {item.icon && <Icon name={item.icon} small />}
      {item.label}
    </>
  );
  if ("href" in item) {
    return (
      <a role="menuitem" tabIndex={-1} href={item.href} onClick={onClose}>
        {shown}
      </a>
    );
  }
  const { danger, run } = item;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      class={danger ? "text-err" : undefined}
      onClick={() => {
        onClose();
        run();
      }}
    >
      {shown}
    </button>
  );
}
