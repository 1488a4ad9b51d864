const quickFilters = ["all", "tokens", "agent", "overdue"] as const;
export type QuickFilter = (typeof quickFilters)[number];

/** Which cards a board shows, as written in the address, so that a view is a link. An empty member does not filter. */
export interface Filter {
  quick: QuickFilter;
  assignee: string;
  priority: string;
  token: string;
  due: string;
  repository: string;
  run: string;
  text: string;
  state: string;
}

export const filterNames = ["assignee", "priority", "token", "due", "repository", "run", "text", "state"] as const;
export type FilterName = (typeof filterNames)[number];

/** The query of a call for cards. Empty members are undefined. */
export type BoardQuery = Record<string, string | undefined>;

export function filterIn(query: URLSearchParams): Filter {
  const quick = quickFilters.find((name) => name === query.get("quick")) ?? "all";
  const rest = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ""])) as Record<
    FilterName,
    string
  >;
  return { quick, ...rest };
}

/** The filter as the address has it. */
export function queryOf(filter: Filter): BoardQuery {
  return Object.fromEntries(
    (["quick", ...filterNames] as const).map((name) => [
      name,
      filter[name] === "" || filter[name] === "all" ? undefined : filter[name],
    ]),
  );
}

/** The filter with what only the browser knows: the reader's day, and for how many days done cards are shown. */
export function callQueryOf(filter: Filter, today: string, doneDays: number | null): BoardQuery {
  return { ...queryOf(filter), today, doneDays: doneDays?.toString() };
}

/**
 * The address of the call that loads a board with the first cards of each column. The server writes it beside an answer
 * that a document carries, and the page takes that answer only if it is the answer to its own call.
 */
export function boardAddress(id: string, query: BoardQuery): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, value);
  return `/internal/boards/${id}?${given}`;
}
