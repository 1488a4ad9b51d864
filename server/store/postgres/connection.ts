import { readFileSync } from "node:fs";
import { DatabaseUnusable } from "./database-unusable.ts";
import type { LaneOptions } from "./lane.ts";

const tlsModes = ["disable", "require", "verify-ca", "verify-full"] as const;
const parametersOfUrl = ["sslmode", "sslrootcert", "host", "application_name"];
const connectSeconds = 5;

/**
 * What the server is asked for with each connection. A statement that goes on longer than this process waits for it, or
 * that waits for a lock, would hold up others for nobody.
 */
const settings = {
  application_name: "intake",
  statement_timeout: "8s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "15s",
  client_min_messages: "error",
  // A statement is planned once for each connection, often while a table has few rows and reading them all is cheapest;
  // that plan would then read all of a table that has grown.
  enable_seqscan: "off",
  // Tables that have no index for a statement are read whole all the same, at a price that would have it compiled.
  jit: "off",
  TimeZone: "UTC",
};

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…`, the form that PostgreSQL's own programs
 * read (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING). Beyond loopback the server has to
 * prove who it is (`verify-full`) unless `sslmode` says otherwise. `?host=/folder` names a unix socket's folder.
 */
export function readDatabaseUrl(text: string): LaneOptions {
  const url = URL.parse(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new DatabaseUnusable("the database's URL must be like postgres://user@host:5432/database");
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parametersOfUrl.includes(name));
  if (unknown !== undefined) {
    throw new DatabaseUnusable(
      `the database's URL has the parameter ${unknown}, which is not known; known are ${parametersOfUrl.join(", ")}`,
    );
  }
  const database = decoded(url.pathname.slice(1));
  const username = decoded(url.username);
  if (database === "" || username === "") {
    throw new DatabaseUnusable(`the database's URL must name a ${database === "" ? "database" : "user"}`);
  }
  const socket = url.searchParams.get("host");
  const hostname = socket?.startsWith("/") ? socket : url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (hostname === "") throw new DatabaseUnusable("the database's URL must name a host");
  return {
    hostname,
    port: Number(url.port || 5_432),
    username,
    password: decoded(url.password),
    database,
    tls: tlsOf(url.searchParams, hostname),
    connectionTimeout: connectSeconds,
    connection: {
      ...settings,
      application_name: url.searchParams.get("application_name") ?? settings.application_name,
    },
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new DatabaseUnusable("the database's URL has a % without two hexadecimal digits behind it; write it as %25");
  }
}

function tlsOf(given: URLSearchParams, hostname: string): NonNullable<LaneOptions["tls"]> {
  const near =
    hostname.startsWith("/") || hostname === "localhost" || hostname === "::1" || hostname.startsWith("127.");
  const mode = given.get("sslmode") ?? (near ? "disable" : "verify-full");
  if (!tlsModes.some((known) => known === mode)) {
    throw new DatabaseUnusable(`sslmode must be one of ${tlsModes.join(", ")}`);
  }
  const rootCertificate = given.get("sslrootcert");
  if (rootCertificate === null) return mode as (typeof tlsModes)[number];
  if (!mode.startsWith("verify")) throw new DatabaseUnusable("sslrootcert needs sslmode=verify-full or verify-ca");
  try {
    return { ca: readFileSync(rootCertificate, "utf8"), rejectUnauthorized: true };
  } catch (error) {
    throw new DatabaseUnusable(`sslrootcert cannot be read (${(error as { code?: string }).code})`);
  }
}
