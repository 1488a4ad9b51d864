-- The whole schema, as SQLite's steps 1 to 16 leave it: the same tables and columns in the same order, except for what
-- test/store/postgres/schema.test.ts permits. Text sorts and compares by its bytes, whatever the database's locale.
-- `bigint` is what may pass 2^31.

create table organisation (
  id text collate "C" primary key,
  name text collate "C" not null,
  created_at double precision not null,
  -- Exactly one per installation.
  only_one integer not null default 1 unique check (only_one = 1),
  -- Null: nobody has granted any, so runs are counted and nothing is held.
  credits bigint check (credits >= 0),
  -- What runs have used while credits were not limited: nothing was held for them, so the ledger says nothing of it.
  credits_counted bigint not null default 0 check (credits_counted >= 0)
);

create table setting (
  name text collate "C" primary key,
  value text collate "C" not null
);

-- People and the AI agent. A removed member keeps the row, so that history can name it.
create table member (
  id text collate "C" primary key,
  email text collate "C" unique,
  name text collate "C" not null,
  role text collate "C" not null check (role in ('admin', 'member', 'agent')),
  password_hash text collate "C",
  created_at double precision not null,
  removed_at double precision,
  seen_at double precision,
  joined_at double precision
);
create unique index member_one_agent on member (role) where role = 'agent';

-- Links to set a first or a new password. Only the SHA-256 of the secret is kept.
create table invitation (
  hash text collate "C" primary key,
  member_id text collate "C" not null references member (id) on delete cascade,
  created_at double precision not null,
  expires_at double precision not null,
  -- A link invites, or resets a password.
  kind text collate "C" not null default 'invite' check (kind in ('invite', 'reset'))
);
create index invitation_member on invitation (member_id);

create table project (
  id text collate "C" primary key,
  name text collate "C" not null,
  position double precision not null,
  created_at double precision not null,
  archived_at double precision,
  -- What is deleted from a page is out of sight at once, and emptied in the background.
  deleted_at double precision
);
create index project_order on project (position, id);

create table board (
  id text collate "C" primary key,
  project_id text collate "C" not null references project (id),
  name text collate "C" not null,
  position double precision not null,
  created_at double precision not null,
  archived_at double precision,
  deleted_at double precision
);
create index board_order on board (project_id, position, id);

create table board_column (
  id text collate "C" primary key,
  board_id text collate "C" not null references board (id),
  name text collate "C" not null,
  position double precision not null,
  created_at double precision not null,
  category text collate "C" not null default 'todo' check (category in ('backlog', 'todo', 'doing', 'done')),
  card_limit integer
);
create index board_column_order on board_column (board_id, position, id);

-- An unbound repository keeps the row, so that tickets can name it.
create table repository (
  id text collate "C" primary key,
  project_id text collate "C" not null references project (id),
  url text collate "C" not null,
  created_at double precision not null,
  unbound_at double precision,
  -- What a run of this repository is held for when it is claimed.
  run_credits integer not null default 10 check (run_credits between 0 and 1000000),
  -- From which branch a run of a repository begins; null: the repository's own default branch.
  base_branch text collate "C"
);
create unique index repository_bound on repository (project_id, url) where unbound_at is null;
create index repository_project on repository (project_id, id);

create table api_token (
  id text collate "C" primary key,
  name text collate "C" not null,
  hash text collate "C" not null unique,
  scopes text collate "C" not null,
  reaches_all integer not null check (reaches_all in (0, 1)),
  requests_per_window integer not null,
  created_at double precision not null,
  last_used_at double precision,
  revoked_at double precision,
  -- Null: made before this was noted.
  author_name text collate "C",
  -- Of the last request, noted within a second of it.
  last_status integer,
  last_network text collate "C",
  -- Requests whose key came with another body than the first time.
  mismatches bigint not null default 0,
  -- Requests that came after it was revoked.
  late_calls bigint not null default 0,
  late_at double precision,
  late_network text collate "C"
);

create table api_token_project (
  token_id text collate "C" not null references api_token (id),
  project_id text collate "C" not null references project (id),
  primary key (token_id, project_id)
);
create index api_token_project_project on api_token_project (project_id);

-- Every authenticated request: some of one token in a row, as JSON, oldest first, written within a second of their
-- answers. `id` sorts by time, `at` is the time of the newest.
create table api_request_group (
  token_id text collate "C" not null,
  id text collate "C" not null,
  at double precision not null,
  entries text collate "C" not null,
  primary key (token_id, id)
);

create table ticket (
  id text collate "C" primary key,
  column_id text collate "C" not null references board_column (id),
  position double precision not null,
  title text collate "C" not null,
  description text collate "C",
  priority text collate "C" not null check (priority in ('none', 'low', 'medium', 'high')),
  assignee_id text collate "C" references member (id),
  repository_id text collate "C" references repository (id),
  starts_at text collate "C",
  due_at text collate "C",
  token_id text collate "C" references api_token (id),
  author_name text collate "C" not null,
  created_at double precision not null,
  -- Null when a token made it.
  author_id text collate "C" references member (id),
  archived_at double precision,
  deleted_at double precision,
  -- Whether it stands on its board.
  live integer not null default 1 check ((live = 1) = (archived_at is null and deleted_at is null)),
  -- Of title and description.
  version integer not null default 1,
  -- Null: never since it was created.
  updated_at double precision,
  moves integer not null default 0,
  moved_at double precision,
  -- Who moved it last, as JSON.
  moved_by text collate "C",
  idempotency_key text collate "C",
  -- Requests that were answered with it again, and those among them that came with another body.
  replays bigint not null default 0,
  mismatches bigint not null default 0
);
create index ticket_repository on ticket (repository_id) where repository_id is not null;
create index ticket_order on ticket (column_id, live, position, id);
create index ticket_deleted on ticket (deleted_at) where deleted_at is not null;
create index ticket_archived on ticket (column_id, archived_at, id) where archived_at is not null;

create table activity (
  ticket_id text collate "C" not null references ticket (id) on delete cascade,
  number integer not null,
  at double precision not null,
  actor_kind text collate "C" not null check (actor_kind in ('token', 'operator', 'member', 'agent')),
  actor_id text collate "C",
  actor_name text collate "C" not null,
  kind text collate "C" not null,
  detail text collate "C",
  primary key (ticket_id, number)
);

-- Keys never expire: rows outlive the ticket, the project and the token's life, and hold the first answer's bytes.
-- `binding` stands for token and key, as 16 bytes of a SHA-256.
create table idempotency (
  binding bytea not null,
  token_id text collate "C" not null references api_token (id),
  key text collate "C" not null,
  ticket_id text collate "C" not null,
  body_digest text collate "C" not null,
  answer text collate "C" not null,
  -- Two bytes of each field of the first body, to tell which fields of a retry are others. Null: not noted yet.
  fields text collate "C"
);
create unique index idempotency_binding on idempotency (binding);

create table agent_run (
  id text collate "C" primary key,
  ticket_id text collate "C" not null references ticket (id) on delete cascade,
  agent_id text collate "C" not null references member (id),
  repository_id text collate "C" references repository (id),
  state text collate "C" not null check (
    state in ('queued', 'waiting', 'claimed', 'running', 'succeeded', 'failed', 'cancelled', 'expired')
  ),
  reason text collate "C",
  attempt integer not null,
  branch text collate "C" not null,
  queued_at double precision not null,
  started_at double precision,
  ended_at double precision,
  -- Denormalised: a card never leaves its project, and claims choose among projects.
  project_id text collate "C",
  -- Who holds it: the SHA-256 of the lease's token, kept after the end, so that a repeated completion is recognised.
  lease text collate "C",
  lease_until double precision,
  claim_id text collate "C",
  runner_name text collate "C",
  runner_token_id text collate "C",
  claimed_at double precision,
  heartbeat_at double precision,
  -- When it is waited for no longer: in the queue, or under way.
  deadline_at double precision,
  progress text collate "C",
  summary text collate "C",
  pull_request_url text collate "C",
  credits_held integer not null default 0,
  credits_used integer not null default 0,
  -- Bytes of the present attempt's log that came, and of all attempts that are kept.
  log_length integer not null default 0,
  log_kept integer not null default 0
);
-- At most one run of a ticket lives.
create unique index agent_run_live on agent_run (ticket_id, agent_id)
  where state in ('queued', 'waiting', 'claimed', 'running');
create index agent_run_ticket on agent_run (ticket_id, id);
create index agent_run_repository on agent_run (repository_id) where repository_id is not null;
create index agent_run_queue on agent_run (state, queued_at, id);
create index agent_run_project on agent_run (project_id, queued_at, id) where state = 'queued';
create index agent_run_waiting on agent_run (reason, queued_at, id) where state = 'waiting';
create index agent_run_deadline on agent_run (deadline_at) where state in ('queued', 'waiting', 'claimed', 'running');
create index agent_run_lease on agent_run (lease_until) where lease_until is not null;
create index agent_run_claim on agent_run (runner_token_id, claim_id) where claim_id is not null;

-- Public by nature, so the value itself is stored. Looked up by its SHA-256, like a token.
create table sdk_key (
  id text collate "C" primary key,
  project_id text collate "C" not null references project (id),
  name text collate "C" not null,
  value text collate "C" not null,
  hash text collate "C" not null unique,
  -- A JSON list of the origins that pages may send from; null: any.
  origins text collate "C",
  requests_per_window integer not null,
  created_at double precision not null,
  last_used_at double precision,
  paused_at double precision,
  revoked_at double precision
);
create index sdk_key_project on sdk_key (project_id, id);

-- What a project keeps, and what it has stored today (UTC): counted in the transactions that change it.
create table project_usage (
  project_id text collate "C" primary key references project (id),
  events bigint not null,
  bytes double precision not null,
  day text collate "C" not null,
  day_bytes double precision not null,
  -- Of `bytes`, what attachments take: kept apart, so that nobody has to add them up.
  file_bytes double precision not null default 0
);

-- Remembers each report for the window of de-duplication, whatever becomes of its event. `binding` begins with 4 bytes
-- for the project and 16 for the report id (or for the envelope's digest, when it has none), so that one range holds
-- all reports of one id; 12 bytes that stand for the content end it. Ids of version 7 keep it growing at its end.
create table receipt (
  binding bytea not null,
  project_id text collate "C" not null,
  event_id text collate "C" not null,
  -- SHA-256 of the unpacked envelope, and of its members in order: the latter is made when it is first needed.
  digest bytea not null,
  canonical bytea,
  -- SHA-256 of each attachment, 32 bytes each, sorted.
  attachments bytea not null,
  delivery_count integer not null,
  received_at double precision not null
);
create unique index receipt_binding on receipt (binding);
create index receipt_received on receipt (received_at);

create table event (
  id text collate "C" primary key,
  project_id text collate "C" not null references project (id),
  -- No reference: deleting a project would look for it in every event.
  key_id text collate "C" not null,
  report_id text collate "C",
  digest text collate "C" not null,
  version bigint,
  type text collate "C",
  title text collate "C",
  level text collate "C",
  environment text collate "C",
  release text collate "C",
  user_id text collate "C",
  user_email text collate "C",
  -- A JSON object of text, null without any.
  tags text collate "C",
  occurred_at text collate "C",
  sent_at text collate "C",
  received_at double precision not null,
  envelope_bytes double precision not null,
  -- What it takes here: the envelope as stored and all attachments.
  stored_bytes double precision not null,
  user_agent text collate "C",
  source_ip text collate "C",
  -- A JSON list, null without any.
  warnings text collate "C",
  delivery_count integer not null,
  repeat_count bigint not null,
  last_repeat_at double precision
);
create index event_order on event (project_id, received_at, id);
create index event_user_id on event (user_id) where user_id is not null;
create index event_user_email on event (user_email) where user_email is not null;
create index event_repeated on event (project_id, received_at, id) where repeat_count > 0;

-- Apart from the event, so that looking through events does not read envelopes. The exact bytes of the unpacked
-- envelope, gzip or not as it came.
create table envelope (
  event_id text collate "C" primary key references event (id) on delete cascade,
  encoding text collate "C" not null check (encoding in ('identity', 'gzip')),
  bytes bytea not null
);

-- In order of arrival, then those that the envelope names and that did not come. The bytes are a file named `id`.
create table attachment (
  event_id text collate "C" not null references event (id) on delete cascade,
  number integer not null,
  id text collate "C" not null,
  part text collate "C" not null,
  filename text collate "C",
  content_type text collate "C",
  sniffed_type text collate "C",
  size double precision,
  sha256 text collate "C",
  kind text collate "C" not null check (kind in ('screenshot', 'recording', 'log', 'view_hierarchy', 'other')),
  state text collate "C" not null check (state in ('stored', 'missing', 'unlisted', 'differs')),
  primary key (event_id, number)
);
create unique index attachment_id on attachment (id);

create table subscriber (
  id text collate "C" primary key,
  -- Null: all projects, later ones too.
  project_id text collate "C" references project (id),
  url text collate "C" not null,
  -- A JSON list of the types of messages that it wants.
  event_types text collate "C" not null,
  -- A JSON list of the envelope's types that it wants; null: any.
  report_types text collate "C",
  -- A JSON list of the names of further headers, for people; null without any.
  header_names text collate "C",
  -- Sealed with secret.key: a JSON object of these headers; null without any, and when that key was lost.
  headers bytea,
  -- Sealed with secret.key, both; empty when that key was lost. The previous one signs too until its time is over.
  secret bytea not null,
  previous_secret bytea,
  previous_until double precision,
  state text collate "C" not null check (state in ('active', 'paused', 'disabled')),
  -- Why it is disabled.
  reason text collate "C",
  created_at double precision not null,
  -- Failures in a row, over all its deliveries, and since when.
  failures integer not null,
  failing_since double precision,
  succeeded_at double precision,
  -- The breaker: how often in a row it has opened, and until when nothing is sent.
  openings integer not null,
  open_until double precision,
  -- Null: it is called by its host.
  name text collate "C"
);
create index subscriber_project on subscriber (project_id, id);

-- What is sent, made once: `head`, then the envelope's own text when it goes inline, then `tail`. Of a report, `id` is
-- its event's.
create table message (
  id text collate "C" primary key,
  event_id text collate "C" references event (id) on delete cascade,
  type text collate "C" not null,
  head text collate "C" not null,
  -- Null when head is all of it.
  tail text collate "C"
);
create index message_event on message (event_id) where event_id is not null;

-- A row is updated for each step of a delivery, so pages have room for new versions and are cleaned early.
create table delivery (
  id text collate "C" primary key,
  message_id text collate "C" not null references message (id) on delete cascade,
  subscriber_id text collate "C" not null references subscriber (id) on delete cascade,
  state text collate "C" not null check (state in ('waiting', 'leased', 'delivered', 'dead')),
  -- Of the present run through the schedule; a replay begins again.
  tries integer not null,
  -- In all: the number of the next attempt.
  attempts integer not null,
  next_at double precision not null,
  -- Who is at it, so that whoever was given up settles nothing.
  lease text collate "C",
  lease_until double precision,
  created_at double precision not null,
  ended_at double precision
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
create index delivery_message on delivery (message_id);
create index delivery_list on delivery (subscriber_id, created_at, id);
create index delivery_due on delivery (subscriber_id, next_at) where state = 'waiting';
create index delivery_leased on delivery (subscriber_id, lease_until) where state = 'leased';
create index delivery_dead on delivery (subscriber_id, ended_at) where state = 'dead';
create index delivery_ended on delivery (ended_at) where ended_at is not null;
-- Lists show what was attempted before what is held without an attempt.
create index delivery_attempted on delivery (subscriber_id, created_at, id) where attempts > 0 or state <> 'waiting';

create table attempt (
  delivery_id text collate "C" not null references delivery (id) on delete cascade,
  number integer not null,
  at double precision not null,
  -- How long it took; null when nobody knows.
  milliseconds double precision,
  status integer,
  -- From a closed list; null when it was accepted.
  error text collate "C",
  -- The beginning of the answer's body.
  answer text collate "C",
  -- Why nothing was sent, in words; null where something was sent.
  detail text collate "C",
  primary key (delivery_id, number)
);

-- Tells secret.key from another one; the key itself is never in the database.
create table sealing (
  fingerprint text collate "C" primary key
);

create table session (
  id text collate "C" primary key,
  -- SHA-256 of the cookie's value.
  hash text collate "C" not null unique,
  member_id text collate "C" not null references member (id) on delete cascade,
  created_at double precision not null,
  seen_at double precision not null,
  -- At the latest; days without a request end it sooner.
  expires_at double precision not null,
  -- When the password was last given.
  password_at double precision not null,
  user_agent text collate "C",
  network text collate "C"
);
create index session_member on session (member_id, id);

create table audit (
  id text collate "C" primary key,
  at double precision not null,
  actor_kind text collate "C" not null check (actor_kind in ('operator', 'member', 'token', 'system', 'visitor')),
  actor_id text collate "C",
  actor_name text collate "C" not null,
  action text collate "C" not null,
  object text collate "C" not null,
  before text collate "C",
  after text collate "C",
  network text collate "C",
  request_id text collate "C"
);
create index audit_actor on audit (actor_id, id);
create index audit_action on audit (action, id);
create index audit_object on audit (object, id);

-- What a page's change has led to, so that sending it again changes nothing. Forgotten after some days.
create table card_op (
  op text collate "C" primary key,
  member_id text collate "C" not null,
  ticket_id text collate "C" not null,
  -- Of the activity, where the change was a comment.
  number integer,
  at double precision not null
);
create index card_op_at on card_op (at);

-- Titles by their words, and the last digits of ids: filled after the fact, so that creating a card never waits for it.
create table card_text (
  number bigint generated by default as identity primary key,
  card_id text collate "C" not null unique references ticket (id) on delete cascade
);

-- `title` has the words of the title as terms, without positions.
create table card_search (
  number bigint primary key references card_text (number) on delete cascade,
  title tsvector not null,
  short text collate "C" not null
);
create index card_search_title on card_search using gin (title);
create index card_search_short on card_search (short, number);

-- Where a report stands in report_text: its time of receipt in milliseconds times 2048, and a count within that
-- millisecond, so that the index itself runs in the order of lists.
create table report_number (
  number bigint primary key,
  event_id text collate "C" not null unique references event (id) on delete cascade
);

-- The words of title and message, and what can be filtered by, as terms of our own making, without positions. Filled
-- behind the reports.
create table report_text (
  number bigint primary key references report_number (number) on delete cascade,
  terms tsvector not null
);
create index report_text_terms on report_text using gin (terms);

-- All reports of the project that were received until then stand in report_text.
create table report_indexed (
  project_id text collate "C" primary key references project (id) on delete cascade,
  until double precision not null
);

-- The last repeats of a report: a ring of 100 places.
create table report_repeat (
  event_id text collate "C" not null references event (id) on delete cascade,
  place integer not null,
  at double precision not null,
  key_id text collate "C" not null,
  -- SHA-256 of each attachment that came with it, 32 bytes each.
  attachments bytea not null,
  primary key (event_id, place)
);

create table report_card (
  event_id text collate "C" not null references event (id) on delete cascade,
  ticket_id text collate "C" not null references ticket (id) on delete cascade,
  primary key (event_id, ticket_id)
);
create index report_card_ticket on report_card (ticket_id);

-- Counts over time, for charts. `project_id` is empty for what belongs to none. `step` is the length of a bucket in
-- milliseconds, `at` its start.
create table tally (
  project_id text collate "C" not null,
  step integer not null,
  at double precision not null,
  series text collate "C" not null,
  label text collate "C" not null,
  count double precision not null,
  primary key (project_id, step, at, series, label)
);

-- Which project's turn was last: the next claim goes to the one whose turn is longest ago. Counted, because clocks jump.
create table run_turn (
  project_id text collate "C" primary key references project (id) on delete cascade,
  turn bigint not null
);

-- What the machine that executes a run writes, in order. `at_byte` is where it stands in the attempt's log.
create table run_log (
  run_id text collate "C" not null references agent_run (id) on delete cascade,
  number integer not null,
  attempt integer not null,
  at_byte integer not null,
  at double precision not null,
  text text collate "C" not null,
  primary key (run_id, number)
);

-- Machines that asked for runs, by the token that they use and the name that they give themselves.
create table runner (
  token_id text collate "C" not null references api_token (id),
  name text collate "C" not null,
  version text collate "C" not null,
  -- A JSON list.
  labels text collate "C" not null,
  seen_at double precision not null,
  primary key (token_id, name)
);
create index runner_seen on runner (seen_at);

-- Never changed, never deleted: the sum of the amounts is the balance.
create table credit_entry (
  id text collate "C" primary key,
  at double precision not null,
  kind text collate "C" not null check (kind in ('grant', 'hold', 'settle', 'release', 'adjust')),
  amount integer not null,
  balance bigint not null check (balance >= 0),
  -- No reference: it outlives the run.
  run_id text collate "C",
  attempt integer,
  note text collate "C",
  actor_name text collate "C" not null
);
create unique index credit_entry_run on credit_entry (run_id, attempt, kind) where run_id is not null;

-- When deliveries were last looked at, by the clock of the machine: tells a clock that was set while nobody looked.
create table delivery_clock (
  id integer primary key check (id = 1),
  seen_at double precision not null,
  -- By how much waits are being moved since the clock was set; null when all have moved.
  move_by double precision,
  -- What the clock showed then.
  move_at double precision,
  -- Up to where they have moved: those of earlier subscribers, and of this one up to that place. Null at the beginning.
  move_subscriber_id text collate "C",
  move_next_at double precision,
  move_delivery_id text collate "C"
);

-- The last attempt of each subscriber with its whole answer; the attempts before it keep the beginning of theirs.
create table last_attempt (
  subscriber_id text collate "C" primary key references subscriber (id) on delete cascade,
  delivery_id text collate "C" not null,
  number integer not null,
  -- A JSON object; null when nothing answered, and for attempts from before this table.
  headers text collate "C",
  -- Up to 16 KiB of the answer's body.
  answer text collate "C",
  -- 1 when the body was longer than what was read of it.
  answer_cut integer not null,
  foreign key (delivery_id, number) references attempt (delivery_id, number) on delete cascade
);
create index last_attempt_attempt on last_attempt (delivery_id, number);

-- Attempts by the hour in which they began; of each subscriber the last 48 hours are kept.
create table attempt_hour (
  subscriber_id text collate "C" not null references subscriber (id) on delete cascade,
  -- The start of the hour.
  at double precision not null,
  accepted integer not null,
  failed integer not null,
  primary key (subscriber_id, at)
);

-- The last time at which the server held the machine's clock to be right. Deleting by age compares the clock with it.
create table clock_mark (
  id integer primary key check (id = 1),
  -- Epoch milliseconds.
  at double precision not null,
  -- The boot of the machine at that time, and how many milliseconds it had been up: within one boot it is known how much
  -- time has passed since, whatever the clock says.
  boot_id text collate "C" not null,
  uptime double precision not null
);

-- The keys under which a repeat of a receipt is looked up: SHA-256 of the project, of the envelope's canonical digest
-- and of a set of attachments. A receipt has one for each set that a repeat may come with, so that one look finds it
-- among any number. Only reports whose reportId was there before have keys, and the report that was there.
create table repeat_key (
  key bytea not null,
  received_at double precision not null,
  binding bytea not null,
  primary key (key, received_at, binding)
);
create index repeat_key_received on repeat_key (received_at);

-- A reportId under which more than one report came. Receipts whose binding is not above `read_to` have their keys;
-- `prefix` is what their bindings begin with. `received_at` is that of the newest one that is known to have keys.
create table reused_report_id (
  prefix bytea primary key,
  read_to bytea not null,
  received_at double precision not null
);
create index reused_report_id_received on reused_report_id (received_at);

-- What a deleted comment said, until nobody wants it back: the activity has no more than that it was deleted.
create table deleted_comment (
  ticket_id text collate "C" not null,
  number integer not null,
  detail text collate "C" not null,
  deleted_at double precision not null,
  primary key (ticket_id, number),
  foreign key (ticket_id, number) references activity (ticket_id, number) on delete cascade
);
create index deleted_comment_at on deleted_comment (deleted_at);

-- Where a member has signed in from, also after the session has ended: guessing from elsewhere does not hold up sign-ins from there.
create table known_network (
  member_id text collate "C" not null references member (id) on delete cascade,
  network text collate "C" not null,
  seen_at double precision not null,
  primary key (member_id, network)
);
create index known_network_seen on known_network (seen_at);
