import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Tone } from "./stacks.ts";

/** A chart with its name, the most important numbers, and a table of the same numbers. */
export function Figure({
  title,
  facts = [],
  to,
  chart,
  table,
  wide = false,
  children,
}: {
  title: string;
  facts?: readonly { name: string; value: ComponentChildren; title?: string | undefined; tone?: Tone }[];
  /** The address of the list that the chart counts. */
  to?: { href: string; label: string } | undefined;
  chart: ComponentChildren;
  table?: ComponentChildren;
  wide?: boolean;
  children?: ComponentChildren;
}) {
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  return (
    <section class={`sheet figure${wide ? " wide" : ""}`} aria-labelledby={id}>
      <header class="row">
        <h2 id={id} class="grow ellipsis">
          {title}
        </h2>
        {to && (
          <a class="btn ghost" href={to.href}>
            {to.label}
          </a>
        )}
        {table !== undefined && (
          <button type="button" class="btn ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? "View as chart" : "View as table"}
          </button>
        )}
      </header>
      {facts.length > 0 && (
        <dl class="numbers">
          {facts.map(({ name, value, title: exact, tone }) => (
            <div key={name}>
              <dt>
                {tone !== undefined && <span class={`swatch ${tone}`} />}
                {name}
              </dt>
              <dd title={exact}>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="scrolled" tabIndex={0} aria-label={`${title} as a table`}>
          {table}
        </section>
      ) : (
        chart
      )}
      {children}
    </section>
  );
}
