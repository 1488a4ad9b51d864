/** What an API token may do. Without TypeBox, because browsers load the list too. */
export const scopes = ["tickets:write", "runs:execute"] as const;
export type Scope = (typeof scopes)[number];
