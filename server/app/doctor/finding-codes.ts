/**
 * How much a finding matters: an `error` makes `intake doctor` exit with 1, a `warning` does not. A finding without a
 * fault has the code `ok`.
 */
export type Severity = "error" | "warning";

interface Known {
  severity: Severity;
  /** What it means, for the table in docs/diagnosis.md. */
  about: string;
  /** What to do about it; a check may say it with the names at hand. In lower case, as the end of a sentence. */
  remedy: string;
}

/**
 * Every code that a finding of `intake doctor` can have. Codes are stable: scripts look for them, so a code is never
 * renamed and never means something else later. A new check adds its codes here; `bun server/docs-tables.ts` writes
 * them into docs/diagnosis.md.
 */
export const findingCodes = {
  check_failed: error("a check could not be made, for the reason that it names", "mend what the reason names"),

  folder_unusable: error(
    "this user may not read, write or enter the data directory or its database",
    "run doctor as the user of the server, or give that user the directory",
  ),
  folder_mode: error("others can look into the data directory", "take their rights away: chmod 700"),
  folder_owner: warning(
    "doctor runs as another user than the one that the data directory belongs to",
    "run commands as the user of the server: files that they make would be another user's",
  ),
  file_owner: error(
    "files in the data directory belong to another user than the directory, so the server may not write them",
    "give them to the user of the directory: chown",
  ),
  disk_low: error("reports are refused, and tickets soon will be", "make room"),
  disk_forecast: warning(
    "the disk is full within 14 days if as much is stored as in the last 7",
    "make room, or keep less: retention_days, retention_bytes",
  ),
  disk_slow: warning(
    "the disk takes long to make a write durable, and every ticket waits for that",
    "use a faster disk, or find out what else writes to this one",
  ),
  disk_sync_failed: error(
    "the disk failed to make a write durable",
    "look at the disk (dmesg); move the data to a sound one",
  ),
  open_files_low: warning(
    "the server may open few files, and each connection is one",
    "raise LimitNOFILE of the unit, or ulimit -n before the start",
  ),
  open_files_used: warning("the server has most of the files open that it may", "raise LimitNOFILE of the unit"),

  sqlite_old: error("this SQLite could corrupt a database", "use a newer intake"),
  schema_old: error("the database is older than this binary", "start the server, or run: intake migrate up"),
  database_damaged: error(
    "the database is damaged",
    "stop the server, keep a copy of the directory, and restore a backup",
  ),
  references_broken: error("rows refer to rows that are not there", "restore a backup"),
  attachments_missing: error(
    "files of attachments are missing or cut",
    "restore them from a backup or from versions of the bucket",
  ),
  clock_doubtful: error(
    "nothing is deleted by age, because the clock may be wrong",
    "set it, or run: intake clock confirm",
  ),
  secret_key_unusable: error("secret.key is missing, damaged or another one", "put the right one back from a backup"),
  secret_key_mode: error("others can read secret.key", "take their rights away: chmod 600"),
  environment_loads_code: error(
    "a variable of the environment makes the binary run other code",
    "unset it for the service",
  ),
  version_fault: error(
    "this version, or that of the server that runs, has a fault that is known",
    "use a newer intake",
  ),
  server_version: warning("the server that runs is of another version than this binary", "restart the server"),

  subscriber_disabled: warning(
    "subscribers are disabled and get nothing",
    "mend the receiver, then run: intake subscriber enable ID",
  ),
  subscriber_failing: warning(
    "subscribers fail, and their deliveries wait",
    "look at the attempts: intake subscriber deliveries ID",
  ),
  deliveries_dead: warning(
    "deliveries were given up within the last 7 days",
    "mend the receiver, then send them again: intake subscriber replay ID",
  ),

  backup_overdue: warning(
    "the newest verified backup is older than twice the interval of backups, or than two days",
    "mend what the reason names, then make one on the page Settings, Backups, or run: intake backup create",
  ),
  backup_failed: warning(
    "the last backup of the server could not be made or read back; it tries again by itself",
    "mend what the reason names",
  ),
  backup_same_disk: warning(
    "backups are on the disk of the data directory, so one failure takes both",
    "keep them on another disk or machine, or in a bucket: backup_to",
  ),
  backup_log_stopped: warning(
    "backup_log is on, and the server cannot keep the log: what is stored now cannot be restored to the moment",
    "make room on the disk of the data directory and look at the server's log; the log begins again by itself",
  ),
  backup_log_behind: warning(
    "segments of the log have waited for more than a minute to be shipped to the backup target",
    "see that the target can be reached and written to; the server's log names the reason",
  ),
  backup_log_large: warning(
    "segments of the log that wait to be shipped take more than 256 MiB; beyond 1 GiB the log ends",
    "see that the target can be reached and is fast enough",
  ),
  backup_log_gap: warning(
    "within the last 7 days there are moments that cannot be restored, because the log could not go on",
    "nothing brings them back, and later moments can be restored; the server's log says why the log ended",
  ),

  mail_unreachable: warning(
    "the mail server that is set does not take mails",
    "do what the finding says, and try again with: intake mail test",
  ),
  mails_failed: warning(
    "mails were given up within the last 7 days, or have waited for more than an hour",
    "look at them: intake mail list",
  ),

  provider_secret_lost: error(
    "nobody can sign in with an identity provider, because its secret was sealed with a secret.key that is gone",
    "give it again: intake provider update ID --secret-file FILE",
  ),
  provider_secret_unreadable: error(
    "nobody can sign in with an identity provider, because the file of its secret cannot be read",
    "mend the file, or name another: intake provider update ID --secret-path FILE",
  ),
  provider_secret_mode: warning(
    "everybody on the machine can read the file of an identity provider's secret",
    "let its owner and the group of the server alone read it: chmod o-rwx",
  ),

  public_url_plain: warning("people sign in over plain HTTP", "put a proxy with TLS before the server"),
  public_url_unreachable: warning(
    "the public address does not answer from this machine",
    "look at DNS, firewall and proxy; ask it from another machine too",
  ),
  public_url_elsewhere: warning(
    "something else than this installation answers under the public address",
    "look where the proxy passes requests to, and at the setting public_url",
  ),
  tls_expired: error("the certificate of the public address is over or not valid yet", "renew it"),
  tls_expires: warning("the certificate of the public address ends soon", "look why it was not renewed"),
  tls_name: error("the certificate of the public address is for other names", "get one for this name"),
  tls_untrusted: warning(
    "the certificate of the public address is signed by nobody whom this machine knows",
    "send the whole chain, or get one that apps and CI jobs trust",
  ),
  proxy_untrusted: error(
    "the proxy is not trusted, so all behind it count as one address and share its limits",
    "start the server with --trusted-proxies (INTAKE_TRUSTED_PROXIES) set to its address",
  ),
  proxy_believes_clients: error(
    "the proxy passes on the X-Forwarded-For that a client made up, so anyone can appear under any address",
    "let the proxy overwrite X-Forwarded-For",
  ),
  proxy_hides_sender: warning(
    "the proxy sends no X-Forwarded-For, so all behind it count as one address",
    "let the proxy set X-Forwarded-For",
  ),

  database_unreachable: error("PostgreSQL cannot be reached, or not be used", "mend what the reason names"),
  database_unreadable: error("what the database has stored cannot be read", "mend what the reason names"),
  postgresql_old: error("PostgreSQL is too old", "use version 15 or newer"),
  database_encoding: error(
    "the encoding of the database is not UTF8",
    "create one with encoding 'UTF8' template template0",
  ),
  database_not_durable: error(
    "what PostgreSQL has acknowledged may be lost when its machine fails",
    "switch on what the finding names",
  ),
  standbys_missing: error(
    "commits wait for a standby that is not connected, so nothing can be stored",
    "connect it, or change synchronous_standby_names",
  ),
  database_read_only: error("PostgreSQL takes no writes", "name the primary in INTAKE_DATABASE_URL"),
  database_clock: error("this machine's clock and the database's differ", "set both right"),
  connections_short: error(
    "the processes may open more connections than the server gives out",
    "raise max_connections, or put pgbouncer between",
  ),
  bucket_address: error("INTAKE_FILES or its credentials cannot be used", "mend what the reason names"),
  bucket_right: error(
    "an object cannot be stored, read, listed or removed",
    "give the key the right that the finding names",
  ),
  bucket_replaces: error(
    "the object storage replaces objects although it is asked not to",
    "use object storage that knows conditional writes (If-None-Match)",
  ),
} as const satisfies Record<string, Known>;

export type FindingCode = keyof typeof findingCodes;

function error(about: string, remedy: string): Known {
  return { severity: "error", about, remedy };
}

function warning(about: string, remedy: string): Known {
  return { severity: "warning", about, remedy };
}
