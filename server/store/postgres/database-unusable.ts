import { troubleOf } from "./errors.ts";

/** The database cannot be used as it stands. The message has no part of its URL: somebody's password is in there. */
export class DatabaseUnusable extends Error {
  override name = "DatabaseUnusable";
}

/** What a failure to connect says to an operator. */
export function unusable(error: unknown): unknown {
  const trouble = troubleOf(error);
  if (trouble === undefined) return error;
  return new DatabaseUnusable(`${trouble}; look at INTAKE_DATABASE_URL and at the database's own log`, {
    cause: error,
  });
}
