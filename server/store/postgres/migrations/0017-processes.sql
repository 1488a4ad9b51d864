-- Server processes that use the database. Times are those of the database's clock.
create table process (
  id text collate "C" primary key,
  -- Where the process answers.
  url text collate "C" not null,
  version text collate "C" not null,
  -- The newest step of the schema that the process knows.
  schema integer not null,
  started_at double precision not null,
  -- The newest heartbeat.
  seen_at double precision not null
);

-- What processes tell each other to have stored: a stream of each, numbered without gaps. Lost when PostgreSQL crashes.
create unlogged table fact (
  process text collate "C" not null,
  seq integer not null,
  at double precision not null,
  -- JSON: changes, "resync" where it is not known what has changed, "end" of the stream.
  facts text collate "C" not null,
  primary key (process, seq)
);
create index fact_at on fact (at);

-- Work that one process at a time does, and until when it may.
create table duty (
  name text collate "C" primary key,
  holder text collate "C" not null,
  until double precision not null
);
