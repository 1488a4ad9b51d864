/** What a sealed value is bound to: in another row or another column it cannot be opened. */
export const secretAbout = (subscriberId: string) => `secret of subscriber ${subscriberId}`;
export const headersAbout = (subscriberId: string) => `headers of subscriber ${subscriberId}`;

/** Stands for a secret whose key is lost; a sealed secret is never empty. */
export const lostSecret = new Uint8Array();
export const isLost = (secret: Uint8Array) => secret.length === 0;

/**
 * A condition in SQL that leaves out rows of a project that is being deleted. `table` is the name of the table in the
 * query.
 */
export function isThere(table: string): string {
  return `not exists (select 1 from project gone where gone.id = ${table}.project_id and gone.deleted_at is not null)`;
}
