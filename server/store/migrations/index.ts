import core from "./0001-core.sql" with { type: "text" };
import ingest from "./0002-ingest.sql" with { type: "text" };
import fanout from "./0003-fanout.sql" with { type: "text" };
import people from "./0004-people.sql" with { type: "text" };
import boards from "./0005-boards.sql" with { type: "text" };
import reports from "./0006-reports.sql" with { type: "text" };
import settings from "./0007-settings.sql" with { type: "text" };
import runs from "./0008-runs.sql" with { type: "text" };
import deliveries from "./0009-deliveries.sql" with { type: "text" };
import lastAttempts from "./0010-last-attempts.sql" with { type: "text" };
import repositories from "./0011-repositories.sql" with { type: "text" };
import clock from "./0012-clock.sql" with { type: "text" };
import repeats from "./0013-repeats.sql" with { type: "text" };
import deletedComments from "./0014-deleted-comments.sql" with { type: "text" };
import knownNetworks from "./0015-known-networks.sql" with { type: "text" };
import idempotencyKeys from "./0016-idempotency-keys.sql" with { type: "text" };
import backupTries from "./0024-backup-tries.sql" with { type: "text" };
import subscriberFormat from "./0025-subscriber-format.sql" with { type: "text" };
import mail from "./0026-mail.sql" with { type: "text" };
import notices from "./0027-notices.sql" with { type: "text" };
import providers from "./0028-providers.sql" with { type: "text" };
import sessions from "./0029-sessions.sql" with { type: "text" };
import factors from "./0030-factors.sql" with { type: "text" };

/** One step of the schema. A released step never changes: every database keeps its checksum. */
export interface Migration {
  number: number;
  name: string;
  sql: string;
}

export const migrations: readonly Migration[] = [
  { number: 1, name: "core", sql: core },
  { number: 2, name: "ingest", sql: ingest },
  { number: 3, name: "fanout", sql: fanout },
  { number: 4, name: "people", sql: people },
  { number: 5, name: "boards", sql: boards },
  { number: 6, name: "reports", sql: reports },
  { number: 7, name: "settings", sql: settings },
  { number: 8, name: "runs", sql: runs },
  { number: 9, name: "deliveries", sql: deliveries },
  { number: 10, name: "last-attempts", sql: lastAttempts },
  { number: 11, name: "repositories", sql: repositories },
  { number: 12, name: "clock", sql: clock },
  { number: 13, name: "repeats", sql: repeats },
  { number: 14, name: "deleted-comments", sql: deletedComments },
  { number: 15, name: "known-networks", sql: knownNetworks },
  { number: 16, name: "idempotency-keys", sql: idempotencyKeys },
  { number: 24, name: "backup-tries", sql: backupTries },
  { number: 25, name: "subscriber-format", sql: subscriberFormat },
  { number: 26, name: "mail", sql: mail },
  { number: 27, name: "notices", sql: notices },
  { number: 28, name: "providers", sql: providers },
  { number: 29, name: "sessions", sql: sessions },
  { number: 30, name: "factors", sql: factors },
];
