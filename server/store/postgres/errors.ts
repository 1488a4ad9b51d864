/** The trouble while the database has no room. */
export const diskFull = "the database's disk is full";

/** A failure as PostgreSQL or the connection to it reports it. */
interface DatabaseError {
  /** SQLSTATE, https://www.postgresql.org/docs/current/errcodes-appendix.html */
  errno?: unknown;
  code?: unknown;
}

/** The SQLSTATE of an error; empty for an error of anything else. */
function stateOf(error: unknown): string {
  const { errno } = error as DatabaseError;
  return error instanceof Error && typeof errno === "string" && /^[0-9A-Z]{5}$/.test(errno) ? errno : "";
}

/** The connection is gone, or the server ends it: nothing can be said on it any more. */
export function isConnectionLost(error: unknown): boolean {
  const { code } = error as DatabaseError;
  if (error instanceof LaneLost) return true;
  if (
    typeof code === "string" &&
    /^(ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)|ECONN|EPIPE|ENOENT|FailedToOpenSocket)/.test(code)
  )
    return true;
  return /^(08|57P0)/.test(stateOf(error));
}

/** A pooler stands before the database, which hands no such setting on with a new connection. */
export function isUnknownStartupParameter(error: unknown): boolean {
  return stateOf(error) === "08P01" && /unsupported startup parameter/.test((error as Error).message);
}

/** A pooler stands before the database that gives each statement to any backend. */
export function isWithoutTransactions(error: unknown): boolean {
  const { message, cause } = error as Error;
  return /statement pooling/.test(message) || (cause instanceof Error && isWithoutTransactions(cause));
}

/** The server, or a pooler, gives out no more connections for now. */
export function isOutOfConnections(error: unknown): boolean {
  return stateOf(error) === "53300" || /no more connections allowed/.test((error as Error).message);
}

/** Two writes stood in each other's way, which one of them has to begin again for. */
export function isConflict(error: unknown): boolean {
  return /^40(001|P01)$/.test(stateOf(error));
}

/** A row that this write could not see came or went meanwhile; or the write violates a constraint of its own. */
export function isConstraint(error: unknown): boolean {
  return /^23/.test(stateOf(error));
}

/**
 * What hinders every write, as a sentence for an operator; undefined for an error that concerns one write alone.
 * Names neither the server nor its user: the sentence stands in answers of `/readyz`.
 */
export function troubleOf(error: unknown): string | undefined {
  const state = stateOf(error);
  const code = String((error as DatabaseError).code ?? "");
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE") return "the database offers no TLS, which sslmode asks for";
  if (/ALTNAME/.test(code)) return "the database's certificate is for another host than the one that was asked";
  if (/SIGNATURE|ISSUER|SELF_SIGNED/.test(code))
    return "the database's certificate is from an authority that is not trusted here; name that authority's with sslrootcert";
  if (code === "CERT_HAS_EXPIRED") return "the database's certificate has ended";
  if (/CERT|ERR_(TLS|SSL|POSTGRES_TLS)/.test(code)) return `the database's certificate is not trusted (${code})`;
  if (isOutOfConnections(error)) return "the database has no connection to spare";
  if (isConnectionLost(error)) return "the database cannot be reached";
  if (state === "25006") return "the database is read-only";
  if (state === "53100") return diskFull;
  if (state === "28P01" || state.startsWith("28")) return "the database refuses this user or password";
  if (state === "3D000") return "there is no such database";
  if (state === "42501") return "this user lacks a right in the database";
  if (state === "57014" || state === "55P03") return "the database is too slow";
  if (/^(53|58|XX)/.test(state)) return `the database failed (${state})`;
  return undefined;
}

/** The connection was given up: it did not answer in time, or was lost. */
export class LaneLost extends Error {
  override name = "LaneLost";
}
