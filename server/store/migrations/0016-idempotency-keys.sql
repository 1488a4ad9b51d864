-- Idempotency keys, in the order in which they were bound. Keys come in random order: an index that every ticket writes
-- to would be changed at a random place by each, and with millions of keys the disk has to take a page for each ticket,
-- twice. So the index is a table of its own, and keys are added to it later, many at a time in the order of the index;
-- until then the process that writes knows them in memory. Keys of earlier versions stay where they are.
create table idempotency_key (
  number integer primary key,
  binding blob not null,
  token_id text not null references api_token (id),
  key text not null,
  ticket_id text not null,
  body_digest text not null,
  answer text not null,
  fields text not null
) strict;
-- The hash is the first 53 bits of the binding. Two keys may share one: the row of the key tells.
create table idempotency_key_index (
  hash integer not null,
  number integer not null,
  primary key (hash, number)
) strict, without rowid;
-- The number up to which every key is in the index.
create table idempotency_key_indexed (
  number integer not null
) strict;
insert into idempotency_key_indexed (number) values (0);
