/** What a sealed value is bound to: moved to another row or another column, it does not open. */
export const secretAbout = (subscriberId: string) => `secret of subscriber ${subscriberId}`;
export const headersAbout = (subscriberId: string) => `headers of subscriber ${subscriberId}`;

/** Stands for a secret that was sealed with a key that is lost; a sealed one is never empty. */
export const lostSecret = new Uint8Array();
export const isLost = (secret: Uint8Array) => secret.length === 0;

/** A condition for SQL: not of a project that was deleted and is being emptied. `table` is its name in the query. */
export function isThere(table: string): string {
  return `not exists (select 1 from project gone where gone.id = ${table}.project_id and gone.deleted_at is not null)`;
}
