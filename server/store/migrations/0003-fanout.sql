-- Fan-out: who is told of reports, what they are told, and how that went.

create table subscriber (
  id text primary key,
  -- Null: all projects, later ones too.
  project_id text references project (id),
  url text not null,
  -- A JSON list of the types of messages that it wants.
  event_types text not null,
  -- A JSON list of the envelope's types that it wants; null: any.
  report_types text,
  -- A JSON list of the names of further headers, for people; null without any.
  header_names text,
  -- Sealed with secret.key: a JSON object of these headers; null without any, and when that key was lost.
  headers blob,
  -- Sealed with secret.key, both; empty when that key was lost. The previous one signs too until its time is over.
  secret blob not null,
  previous_secret blob,
  previous_until real,
  state text not null check (state in ('active', 'paused', 'disabled')),
  -- Why it is disabled.
  reason text,
  created_at real not null,
  -- Failures in a row, over all its deliveries, and since when.
  failures integer not null,
  failing_since real,
  succeeded_at real,
  -- The breaker: how often in a row it has opened, and until when nothing is sent.
  openings integer not null,
  open_until real
) strict;
create index subscriber_project on subscriber (project_id, id);

-- What is sent, made once: `head`, then the envelope's own text when it goes inline, then `tail`. Of a report, `id` is
-- its event's.
create table message (
  id text primary key,
  event_id text references event (id) on delete cascade,
  type text not null,
  head text not null,
  -- Null when head is all of it.
  tail text
) strict;
create index message_event on message (event_id) where event_id is not null;

create table delivery (
  id text primary key,
  message_id text not null references message (id) on delete cascade,
  subscriber_id text not null references subscriber (id) on delete cascade,
  state text not null check (state in ('waiting', 'leased', 'delivered', 'dead')),
  -- Of the present run through the schedule; a replay begins again.
  tries integer not null,
  -- In all: the number of the next attempt.
  attempts integer not null,
  next_at real not null,
  -- Who is at it, so that whoever was given up settles nothing.
  lease text,
  lease_until real,
  created_at real not null,
  ended_at real
) strict;
create index delivery_message on delivery (message_id);
create index delivery_list on delivery (subscriber_id, created_at, id);
create index delivery_due on delivery (subscriber_id, next_at) where state = 'waiting';
create index delivery_leased on delivery (subscriber_id, lease_until) where state = 'leased';
create index delivery_dead on delivery (subscriber_id, ended_at) where state = 'dead';
create index delivery_ended on delivery (ended_at) where ended_at is not null;

create table attempt (
  delivery_id text not null references delivery (id) on delete cascade,
  number integer not null,
  at real not null,
  -- How long it took; null when nobody knows.
  milliseconds real,
  status integer,
  -- From a closed list; null when it was accepted.
  error text,
  -- The beginning of the answer's body.
  answer text,
  primary key (delivery_id, number)
) strict, without rowid;

-- Tells secret.key from another one; the key itself is never in the database.
create table sealing (
  fingerprint text primary key
) strict;
