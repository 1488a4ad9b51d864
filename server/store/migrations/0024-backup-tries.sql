-- The newest backups that the server or a command has tried to make. The schedule, metrics and doctor go by them.
create table backup_try (
  -- In the order of the tries, whatever the clock said.
  number integer primary key,
  origin text not null check (origin in ('schedule', 'page', 'command')),
  -- Where to, in words.
  target text not null,
  -- Epoch milliseconds, as all times here.
  started_at real not null,
  -- Null while the backup is being made.
  ended_at real,
  -- Of the backup. Null until it is made.
  backup_id text,
  as_of real,
  bytes real,
  -- What it has added to the target.
  added_bytes real,
  -- Why no backup was made, and why older ones were not removed after it.
  failure text,
  prune_failure text,
  -- When all of it was last read back and found sound, and why it was not the last time.
  verified_at real,
  verify_failure text
) strict;
