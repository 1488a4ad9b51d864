import { exact } from "../../core/time.ts";
import type { ReportDetail } from "../reports/types.ts";
import { termFor } from "./terms.ts";

interface Value {
  name: string;
  value: string;
  /** The filter that finds reports with the same value. */
  term?: string | undefined;
}

/** Tags, device, user and other values of a report. A value that can be filtered by is a button. */
export function Values({ report, onFilter }: { report: ReportDetail; onFilter: (term: string) => void }) {
  const tags = Object.entries(report.tags).map(([name, value]) => ({
    name,
    value,
    term: termFor(`tag.${name}`, value),
  }));
  return (
    <>
      <Group title="Tags" values={[...fieldsOf(report), ...tags]} onFilter={onFilter} />
      {report.groups.map(({ name, entries }) => (
        <Group
          key={name}
          title={titleOf(name)}
          values={entries.map((entry) => ({ ...entry, term: termIn(name, entry) }))}
          onFilter={onFilter}
        />
      ))}
      <Group title="Times and sender" values={times(report)} onFilter={onFilter} />
    </>
  );
}

function fieldsOf({ type, environment, release }: ReportDetail): Value[] {
  const all: [name: string, filter: string, value: string | null][] = [
    ["release", "release", release],
    ["environment", "env", environment],
    ["type", "type", type],
  ];
  return all.flatMap(([name, filter, value]) =>
    value === null ? [] : [{ name, value, term: termFor(filter, value) }],
  );
}

function termIn(group: string, { name, value }: Value): string | undefined {
  if (group === "user" && (name === "id" || name === "email")) return termFor(`user.${name}`, value);
  if (group === "app" && name === "environment") return termFor("env", value);
  if (group === "app" && name === "version") return termFor("release", value);
  return undefined;
}

function times({ receipt, occurredAt, sentAt, userAgent, source }: ReportDetail): Value[] {
  const all: [name: string, value: string | null][] = [
    ["received", exact(receipt.at)],
    ["occurred", asSent(occurredAt)],
    ["sent", asSent(sentAt)],
    ["source", source],
    ["user agent", userAgent],
  ];
  return all.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

/** A time as the app wrote it, by the clock of the sender. */
function asSent(moment: string | null): string | null {
  return moment === null || Number.isNaN(Date.parse(moment)) ? moment : exact(moment);
}

/** "contexts.battery" → "Battery" */
function titleOf(group: string): string {
  const name = group.replace(/^contexts\./, "");
  return { os: "OS", sdk: "SDK" }[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

function Group({
  title,
  values,
  onFilter,
}: {
  title: string;
  values: readonly Value[];
  onFilter: (term: string) => void;
}) {
  if (values.length === 0) return null;
  return (
    <section class="section">
      <h3 class="ellipsis" dir="auto" title={title}>
        {title}
      </h3>
      <dl class="tags">
        {values.map(({ name, value, term }, i) => (
          <div class="contents" key={i}>
            <dt class="ellipsis" title={name} dir="auto">
              {name}
            </dt>
            <dd dir="auto">
              {term === undefined ? (
                <span title={value}>{value}</span>
              ) : (
                <button type="button" class="link" title={`Show reports with ${term}`} onClick={() => onFilter(term)}>
                  {value}
                </button>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
