-- Idempotency keys, in the order in which they were bound. Keys come in random order: an index that every ticket writes
-- to would be changed at a random place by each, and with millions of keys the disk has to take a page for each ticket,
-- twice. So the index is a table of its own, and keys are added to it later, many at a time in the order of the index.
create table idempotency_key (
  number integer primary key,
  binding blob not null,
  token_id text not null references api_token (id),
  key text not null,
  ticket_id text not null,
  body_digest text not null,
  answer text not null,
  fields text
) strict;
create table idempotency_key_index (
  binding blob primary key,
  number integer not null
) strict, without rowid;
-- The number up to which every key is in the index.
create table idempotency_key_indexed (
  number integer not null
) strict;
insert into idempotency_key_indexed (number) values (0);

-- The indexed keys, and those of earlier versions, which stay where they are. The connection that writes sees the keys
-- that are not indexed yet, too: it keeps a list of them in memory, and has a view of the same name.
create view answered_key as
  select i.binding, k.ticket_id, k.answer, k.body_digest, k.fields
  from idempotency_key_index i join idempotency_key k on k.number = i.number
  union all
  select binding, ticket_id, answer, body_digest, fields from idempotency;
