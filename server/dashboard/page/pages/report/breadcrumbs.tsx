import { useState } from "preact/hooks";
import { whole } from "../../core/format.ts";
import { bothClocks } from "../../core/time.ts";
import type { ReportDetail } from "../reports/types.ts";
import { before, categoriesOf, isBad } from "./trail.ts";

const shownMax = 10;

/** The breadcrumbs of a report with times relative to it. The last ones are shown first, the others on demand. */
export function Breadcrumbs({
  breadcrumbs: { items, total },
  occurredAt,
}: Pick<ReportDetail, "breadcrumbs" | "occurredAt">) {
  const [category, setCategory] = useState("");
  const [all, setAll] = useState(false);
  if (items.length === 0) return null;
  const wanted = category === "" ? items : items.filter((item) => (item.category ?? "other") === category);
  const shown = all ? wanted : wanted.slice(-shownMax);
  const categories = categoriesOf(items);
  return (
    <section class="section">
      <h3>
        Breadcrumbs{" "}
        <span class="dim plain">
          {shown.length < total ? `last ${whole(shown.length)} of ${whole(total)}` : whole(total)}
        </span>
        {categories.length > 1 && (
          <select
            class="field small right"
            aria-label="Category of breadcrumbs"
            value={category}
            onChange={(event) => setCategory(event.currentTarget.value)}
          >
            <option value="">All categories</option>
            {categories.map(({ name, count }) => (
              <option key={name} value={name}>
                {name} ({count})
              </option>
            ))}
          </select>
        )}
      </h3>
      <ol>
        {shown.map((item, i) => (
          <li class={`breadcrumb${isBad(item) ? " bad" : ""}`} key={i}>
            <time dateTime={item.at ?? undefined} title={item.at === null ? undefined : bothClocks(item.at)}>
              {item.beforeMs === null ? "" : before(item.beforeMs)}
            </time>
            <span class="dot" aria-hidden="true" />
            <span class="category ellipsis" title={item.category ?? "other"} dir="auto">
              {item.category ?? "other"}
              {isBad(item) && <span class="sr-only"> {item.level}</span>}
            </span>
            <span class="caption" dir="auto">
              {item.message}
              {item.data !== null && <code class="dim"> {item.data}</code>}
            </span>
          </li>
        ))}
      </ol>
      {wanted.length > shownMax && (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show the last ones only" : `Show all ${whole(wanted.length)}`}
        </button>
      )}
      {occurredAt === null && <p class="dim small">The app did not say when the report occurred.</p>}
    </section>
  );
}
