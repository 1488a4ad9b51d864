import type { ComponentChildren } from "preact";

interface Tab<Name extends string> {
  name: Name;
  label: ComponentChildren;
  count?: number | string | undefined;
}

/**
 * A choice of one among a few, by mouse and arrows (ARIA tabs). `look`: underlined tabs above the parts of a page, or a
 * segmented control.
 */
export function Tabs<Name extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  look = "tabs",
}: {
  label: string;
  tabs: readonly Tab<Name>[];
  chosen: Name;
  onChoose: (name: Name) => void;
  look?: "tabs" | "segmented";
}) {
  function step(event: KeyboardEvent, by: number) {
    const index = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(index + by + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChoose(next.name);
    const list = (event.currentTarget as HTMLElement).parentElement;
    (list?.children[tabs.indexOf(next)] as HTMLElement | undefined)?.focus();
  }
  return (
    <div class={look} role="tablist" aria-label={label}>
      {tabs.map(({ name, label, count }) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
          onKeyDown={(event) => {
            if (event.key === "ArrowRight") step(event, 1);
            if (event.key === "ArrowLeft") step(event, -1);
          }}
        >
          {label}
          {count !== undefined && <span class={look === "segmented" ? "dim" : "count"}> {count}</span>}
        </button>
      ))}
    </div>
  );
}
