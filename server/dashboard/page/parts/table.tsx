import type { ComponentChildren } from "preact";

/** The head of a column: its name, and how it differs from others. */
type Column =
  | string
  /** `sr-only`: only screen readers tell the name, as of a column of menus. */
  | { name: string; class: "align-right" | "hide-narrow" | "sr-only" };

/**
 * A list in lines with a head for each column; the children are its rows. A cell with `data-label` shows that text before
 * its value in a narrow window, where the heads are hidden.
 */
export function Table({
  columns,
  class: name,
  children,
}: {
  columns: readonly Column[];
  class?: "audit" | "people" | "requests";
  children: ComponentChildren;
}) {
  return (
    <div class="sheet">
      <table class={`table lines ${name ?? ""}`}>
        <thead>
          <tr>
            {columns.map((column) => {
              const { name, class: look } = typeof column === "string" ? { name: column, class: undefined } : column;
              return (
                <th scope="col" key={name} class={look === "sr-only" ? undefined : look}>
                  {look === "sr-only" ? <span class="sr-only">{name}</span> : name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
