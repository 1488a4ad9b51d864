import { useRef } from "preact/hooks";
import { type Filter, type FilterName, type QuickFilter, queryOf } from "../../../board-filter.ts";
import { compact } from "../../core/format.ts";
import { setQuery } from "../../core/router.ts";
import { Icon } from "../../parts/icon.tsx";
import { Popover } from "../../parts/pick.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { priorities, priorityName } from "../card-fields/priority.tsx";
import { DisplayOptions } from "./display-options.tsx";
import { activeNames } from "./filter.ts";
import type { ProjectDetail } from "./project.ts";
import type { BoardStore } from "./store.ts";

function setFilter(filter: Filter) {
  setQuery(queryOf(filter));
}

const quickWords: readonly [QuickFilter, string][] = [
  ["all", "All"],
  ["tokens", "From tokens"],
  ["agent", "Agent"],
  ["overdue", "Overdue"],
];

/** The bar above the columns: which cards are shown, and how. */
export function FilterBar({
  store,
  filter,
  project,
  open,
  onOpen,
}: {
  store: BoardStore;
  filter: Filter;
  project: ProjectDetail | undefined;
  open: boolean;
  onOpen: (open: boolean) => void;
}) {
  const totals = store.head.value?.totals;
  return (
    <div class="tools">
      <Tabs
        look="segmented"
        label="Quick filters"
        chosen={filter.quick}
        onChoose={(quick) => setFilter({ ...filter, quick })}
        tabs={quickWords.map(([name, label]) => ({ name, label, count: totals && compact(totals[name]) }))}
      />
      <Popover
        label="Filter"
        class="btn"
        open={open}
        onOpen={onOpen}
        content={() => <FilterForm filter={filter} project={project} />}
      >
        <Icon name="filter" small />
        <span class="sr-only-narrow">
          Filter <span class="kbd">F</span>
        </span>
      </Popover>
      {activeNames(filter).map((name) => (
        <button
          key={name}
          type="button"
          class="pill accent ellipsis"
          title="Remove this filter"
          onClick={() => setFilter({ ...filter, [name]: "" })}
        >
          <span class="ellipsis" dir="auto">
            {wordsOf(name, filter[name], project)}
          </span>
          <Icon name="x" />
        </button>
      ))}
      {activeNames(filter).length > 0 && (
        <button type="button" class="btn ghost" onClick={clearFilter}>
          Clear
        </button>
      )}
      <span class="right row hide-narrow">
        <DisplayOptions store={store} />
      </span>
    </div>
  );
}

export function clearFilter() {
  setQuery({
    quick: undefined,
    assignee: undefined,
    priority: undefined,
    token: undefined,
    due: undefined,
    repository: undefined,
    run: undefined,
    text: undefined,
    state: undefined,
  });
}

const dueWords: Record<string, string> = {
  overdue: "Overdue",
  week: "Within 7 days",
  set: "Has a due date",
  none: "No due date",
};
const runWords: Record<string, string> = { yes: "Has an agent run", no: "No agent run" };
const stateWords: Record<string, string> = { archived: "Archived" };

/** The words of one filter, for its pill and for the message that no card matches. */
export function wordsOf(name: FilterName, value: string, project: ProjectDetail | undefined): string {
  if (name === "text") return `“${value}”`;
  if (name === "due") return dueWords[value] ?? value;
  if (name === "run") return runWords[value] ?? value;
  if (name === "state") return stateWords[value] ?? value;
  if (name === "priority") {
    return value.split(",").map(priorityName).join(" or ");
  }
  if (value === "none") return "Nobody";
  if (name === "assignee") return project?.members.find(({ id }) => id === value)?.name ?? "A member";
  if (name === "token") return project?.tokens.find(({ id }) => id === value)?.name ?? "A token";
  return project?.repositories.find(({ id }) => id === value)?.url ?? "A repository";
}

const textPause = 200;

function FilterForm({ filter, project }: { filter: Filter; project: ProjectDetail | undefined }) {
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  const chosen = filter.priority === "" ? [] : filter.priority.split(",");
  const set = (change: Partial<Filter>) => setFilter({ ...filter, ...change });
  function toggle(one: string) {
    const next = chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one];
    set({ priority: next.join() });
  }
  function type(text: string) {
    clearTimeout(pause.current);
    pause.current = setTimeout(() => setQuery({ text }), textPause);
  }
  return (
    <div class="filters">
      <label class="labelled">
        <span>Title contains</span>
        <input
          class="field"
          dir="auto"
          defaultValue={filter.text}
          onInput={(event) => type(event.currentTarget.value)}
          maxLength={200}
        />
      </label>
      <Choice
        label="Assignee"
        value={filter.assignee}
        onChange={(assignee) => set({ assignee })}
        options={[["none", "Nobody"], ...(project?.members.map(({ id, name }) => [id, name] as const) ?? [])]}
      />
      <fieldset>
        <legend>Priority</legend>
        <span class="row wrap">
          {priorities.map(([one, label]) => (
            <label key={one} class="row gap-5">
              <input type="checkbox" checked={chosen.includes(one)} onChange={() => toggle(one)} />
              {label}
            </label>
          ))}
        </span>
      </fieldset>
      <Choice
        label="Came from token"
        value={filter.token}
        onChange={(token) => set({ token })}
        options={
          project?.tokens.map(({ id, name, revoked }) => [id, revoked ? `${name} (revoked)` : name] as const) ?? []
        }
      />
      <Choice label="Due" value={filter.due} onChange={(due) => set({ due })} options={Object.entries(dueWords)} />
      <Choice
        label="Repository"
        value={filter.repository}
        onChange={(repository) => set({ repository })}
        options={project?.repositories.map(({ id, url }) => [id, url] as const) ?? []}
      />
      <Choice
        label="Agent run"
        value={filter.run}
        onChange={(run) => set({ run })}
        options={Object.entries(runWords)}
      />
      <Choice
        label="Cards"
        any="On the board"
        value={filter.state}
        onChange={(state) => set({ state })}
        options={Object.entries(stateWords)}
      />
    </div>
  );
}

function Choice({
  label,
  any = "Any",
  value,
  options,
  onChange,
}: {
  label: string;
  any?: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <label class="labelled">
      <span>{label}</span>
      <select class="field" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{any}</option>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
