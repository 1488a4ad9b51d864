/** The day (UTC) of an id of version 7, as `2026-02-28`: the first 48 bits of the id are its time. */
export function dayOfId(id: string): string {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return new Date(milliseconds).toISOString().slice(0, 10);
}
