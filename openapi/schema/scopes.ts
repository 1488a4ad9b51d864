/** What an API token may do. Without TypeBox, because browsers load the list too. */
export const scopes = ["tickets:write", "runs:execute", "people:read", "people:delete"] as const;
export type Scope = (typeof scopes)[number];
