/** How the schema of PostgreSQL may differ from that of SQLite; whatever is not named here is the same. */
export const permitted = {
  /** Tables, indexes and triggers that only SQLite has. */
  onlySqlite: {
    idempotency_key: "later keys stand in `idempotency` too, whose unique index all processes see",
    idempotency_key_index: "PostgreSQL writes its indexes behind the log",
    idempotency_key_indexed: "as above",
    card_search: "an FTS5 table",
    card_text_gone: "a foreign key does it",
    report_text: "an FTS5 table",
    report_text_gone: "a foreign key does it",
    report_word: "a tsquery finds beginnings of words by itself",
  },
  /** Tables that only PostgreSQL has, with their columns. */
  onlyPostgres: {
    rate: [
      'id text collate "C" not null',
      "times double precision[] not null",
      "counts integer[] not null",
      "seen_at double precision not null",
    ],
    process: [
      'id text collate "C" not null',
      'url text collate "C" not null',
      'version text collate "C" not null',
      "schema integer not null",
      "started_at double precision not null",
      "seen_at double precision not null",
    ],
    fact: [
      'process text collate "C" not null',
      "seq integer not null",
      "at double precision not null",
      'facts text collate "C" not null',
    ],
    duty: ['name text collate "C" not null', 'holder text collate "C" not null', "until double precision not null"],
    password_try: [
      'id text collate "C" not null',
      "failures double precision not null",
      "latest double precision not null",
    ],
    upload: [
      'id text collate "C" not null',
      'process text collate "C" not null',
      'sdk_key text collate "C" not null',
      'address text collate "C" not null',
    ],
    setup_link: ['hash text collate "C" not null', "until double precision not null"],
    replay_job: [
      'subscriber_id text collate "C" not null',
      'id text collate "C" not null',
      'kind text collate "C" not null',
      'state text collate "C" not null',
      "since double precision not null",
      "started_at double precision not null",
      "replayed integer not null",
      'holder text collate "C" not null',
    ],
    card_search: ["number bigint not null", "title tsvector not null", 'short text collate "C" not null'],
    report_text: ["number bigint not null", "terms tsvector not null"],
    project_usage_change: [
      'project_id text collate "C" not null',
      "events bigint not null",
      "bytes double precision not null",
      "file_bytes double precision not null",
      'day text collate "C" not null',
      "day_bytes double precision not null",
    ],
  },
  /** Integers that may pass 2^31: SQLite's have 8 bytes anyway. */
  bigint: [
    "api_token.late_calls",
    "api_token.mismatches",
    "card_text.number",
    "credit_entry.balance",
    "event.repeat_count",
    "event.version",
    "organisation.credits",
    "organisation.credits_counted",
    "project_usage.events",
    "report_number.number",
    "run_turn.turn",
    "ticket.mismatches",
    "ticket.replays",
  ],
  /** SQLite numbers the rows of every `integer primary key` by itself. */
  identity: ["card_text.number"],
  storage: { delivery: "fillfactor=70,autovacuum_vacuum_scale_factor=0.01" },
} as const;
