-- Reports: who may send them, what was received, and the events that are kept.

-- Public by nature, so the value itself is stored. Looked up by its SHA-256, like a token.
create table sdk_key (
  id text primary key,
  project_id text not null references project (id),
  name text not null,
  value text not null,
  hash text not null unique,
  -- A JSON list of the origins that pages may send from; null: any.
  origins text,
  requests_per_window integer not null,
  created_at real not null,
  last_used_at real,
  paused_at real,
  revoked_at real
) strict;
create index sdk_key_project on sdk_key (project_id, id);

-- What a project keeps, and what it has stored today (UTC): counted in the transactions that change it.
create table project_usage (
  project_id text primary key references project (id),
  events integer not null,
  bytes real not null,
  day text not null,
  day_bytes real not null
) strict, without rowid;

-- Remembers each report for the window of de-duplication, whatever becomes of its event. `binding` begins with 4 bytes
-- for the project and 16 for the report id (or for the envelope's digest, when it has none), so that one range holds
-- all reports of one id; 12 bytes that stand for the content end it. Ids of version 7 keep it growing at its end.
create table receipt (
  binding blob not null,
  project_id text not null,
  event_id text not null,
  -- SHA-256 of the unpacked envelope, and of its members in order: the latter is made when it is first needed.
  digest blob not null,
  canonical blob,
  -- SHA-256 of each attachment, 32 bytes each, sorted.
  attachments blob not null,
  delivery_count integer not null,
  received_at real not null
) strict;
create unique index receipt_binding on receipt (binding);
create index receipt_received on receipt (received_at);

create table event (
  id text primary key,
  project_id text not null references project (id),
  -- No reference: deleting a project would look for it in every event.
  key_id text not null,
  report_id text,
  digest text not null,
  version integer,
  type text,
  title text,
  level text,
  environment text,
  release text,
  user_id text,
  user_email text,
  -- A JSON object of text, null without any.
  tags text,
  occurred_at text,
  sent_at text,
  received_at real not null,
  envelope_bytes real not null,
  -- What it takes here: the envelope as stored and all attachments.
  stored_bytes real not null,
  user_agent text,
  source_ip text,
  -- A JSON list, null without any.
  warnings text,
  delivery_count integer not null,
  repeat_count integer not null,
  last_repeat_at real
) strict;
create index event_order on event (project_id, received_at, id);
create index event_user_id on event (user_id) where user_id is not null;
create index event_user_email on event (user_email) where user_email is not null;

-- Apart from the event, so that looking through events does not read envelopes. The exact bytes of the unpacked
-- envelope, gzip or not as it came.
create table envelope (
  event_id text primary key references event (id) on delete cascade,
  encoding text not null check (encoding in ('identity', 'gzip')),
  bytes blob not null
) strict;

-- In order of arrival, then those that the envelope names and that did not come. The bytes are a file named `id`.
create table attachment (
  event_id text not null references event (id) on delete cascade,
  number integer not null,
  id text not null,
  part text not null,
  filename text,
  content_type text,
  sniffed_type text,
  size real,
  sha256 text,
  kind text not null check (kind in ('screenshot', 'recording', 'log', 'view_hierarchy', 'other')),
  state text not null check (state in ('stored', 'missing', 'unlisted', 'differs')),
  primary key (event_id, number)
) strict, without rowid;
create unique index attachment_id on attachment (id);
