/** An address of a database that cannot be used as it stands. The message has no part of it that could be a secret. */
export class DatabaseUrlInvalid extends Error {
  override name = "DatabaseUrlInvalid";
}
