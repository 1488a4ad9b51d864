-- The newest backups that a server or a command on a data directory has tried to make. On PostgreSQL nobody makes any:
-- rows are those of an installation that was moved here, for the way back.
create table backup_try (
  -- In the order of the tries, whatever the clock said.
  number integer primary key,
  origin text collate "C" not null check (origin in ('schedule', 'page', 'command')),
  -- Where to, in words.
  target text collate "C" not null,
  -- Epoch milliseconds, as all times here.
  started_at double precision not null,
  -- Null while the backup is being made.
  ended_at double precision,
  -- Of the backup. Null until it is made.
  backup_id text collate "C",
  as_of double precision,
  bytes double precision,
  -- What it has added to the target.
  added_bytes double precision,
  -- Why no backup was made, and why older ones were not removed after it.
  failure text collate "C",
  prune_failure text collate "C",
  -- When all of it was last read back and found sound, and why it was not the last time.
  verified_at double precision,
  verify_failure text collate "C"
);
