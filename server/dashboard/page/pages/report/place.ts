import { go, matches, place, setQuery } from "../../core/router.ts";

/** The query of the list's address, also while a report lies over the list, and the report that is open. */
export function listPlace(projectId: string): { query: URLSearchParams; open: string | undefined } {
  const { path, query, behind } = place.value;
  if (behind === undefined || !isListOf(projectId, behind)) return { query, open: undefined };
  return { query: new URLSearchParams(behind.split("?")[1]), open: matches("/reports/:report", path)?.["report"] };
}

/** Whether the address is that of a list of reports, which shows a report beside itself. */
export function isList(address: string | undefined): boolean {
  return address !== undefined && matches("/p/:project/reports", address.split("?")[0] ?? "") !== undefined;
}

function isListOf(projectId: string, address: string): boolean {
  return address.split("?")[0] === `/p/${projectId}/reports`;
}

/** Opens a report beside its list. However many are opened in turn, Back leads to the list. */
export function openReport(id: string) {
  go(`/reports/${id}`, { over: true, replace: isList(place.value.behind) });
}

export function closeReport() {
  const { behind } = place.value;
  if (behind !== undefined) go(behind, { replace: true });
}

export function setListQuery(change: Record<string, string | undefined>) {
  setQuery(change, "behind");
}

/** The address of a project's list of reports, with a filter. */
export function listAddress(projectId: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `/p/${projectId}/reports${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}
