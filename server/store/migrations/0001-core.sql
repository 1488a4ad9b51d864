-- One organisation, who works in it, and what may speak for it.

create table organisation (
  id text primary key,
  name text not null,
  created_at real not null,
  -- Exactly one per installation.
  only_one integer not null default 1 unique check (only_one = 1)
) strict;

create table setting (
  name text primary key,
  value text not null
) strict, without rowid;

-- People and the AI agent. A removed member keeps the row, so that history can name it.
create table member (
  id text primary key,
  email text unique,
  name text not null,
  role text not null check (role in ('admin', 'member', 'agent')),
  password_hash text,
  created_at real not null,
  removed_at real
) strict;
create unique index member_one_agent on member (role) where role = 'agent';

-- Links to set a first or a new password. Only the SHA-256 of the secret is kept.
create table invitation (
  hash text primary key,
  member_id text not null references member (id) on delete cascade,
  created_at real not null,
  expires_at real not null
) strict;
create index invitation_member on invitation (member_id);

create table session (
  hash text primary key,
  member_id text not null references member (id) on delete cascade,
  created_at real not null,
  expires_at real not null
) strict;
create index session_member on session (member_id);

create table audit (
  id text primary key,
  at real not null,
  actor_kind text not null check (actor_kind in ('operator', 'member')),
  actor_id text,
  actor_name text not null,
  action text not null,
  object text not null,
  before text,
  after text
) strict;

-- Where the work lies.

create table project (
  id text primary key,
  name text not null,
  position real not null,
  created_at real not null,
  archived_at real
) strict;
create index project_order on project (position, id);

create table board (
  id text primary key,
  project_id text not null references project (id),
  name text not null,
  position real not null,
  created_at real not null,
  archived_at real
) strict;
create index board_order on board (project_id, position, id);

create table board_column (
  id text primary key,
  board_id text not null references board (id),
  name text not null,
  position real not null,
  created_at real not null
) strict;
create index board_column_order on board_column (board_id, position, id);

-- An unbound repository keeps the row, so that tickets can name it.
create table repository (
  id text primary key,
  project_id text not null references project (id),
  url text not null,
  created_at real not null,
  unbound_at real
) strict;
create unique index repository_bound on repository (project_id, url) where unbound_at is null;
create index repository_project on repository (project_id, id);

-- API tokens: the SHA-256 of the value and nothing else of it. Revoked ones stay, as authors of what they made.

create table api_token (
  id text primary key,
  name text not null,
  hash text not null unique,
  scopes text not null,
  reaches_all integer not null check (reaches_all in (0, 1)),
  requests_per_window integer not null,
  created_at real not null,
  last_used_at real,
  revoked_at real
) strict;

create table api_token_project (
  token_id text not null references api_token (id),
  project_id text not null references project (id),
  primary key (token_id, project_id)
) strict, without rowid;
create index api_token_project_project on api_token_project (project_id);

-- Every authenticated request: some of one token in a row, as JSON, oldest first, written within a second of their
-- answers. `id` sorts by time, `at` is the time of the newest.
create table api_request_group (
  token_id text not null,
  id text not null,
  at real not null,
  entries text not null,
  primary key (token_id, id)
) strict, without rowid;

-- Tickets. Project and board follow from the column, so a move is one update.

create table ticket (
  id text primary key,
  column_id text not null references board_column (id),
  position real not null,
  title text not null,
  description text,
  priority text not null check (priority in ('none', 'low', 'medium', 'high')),
  assignee_id text references member (id),
  repository_id text references repository (id),
  starts_at text,
  due_at text,
  token_id text references api_token (id),
  author_name text not null,
  created_at real not null
) strict;
create index ticket_order on ticket (column_id, position, id);
create index ticket_repository on ticket (repository_id) where repository_id is not null;

create table activity (
  ticket_id text not null references ticket (id) on delete cascade,
  number integer not null,
  at real not null,
  actor_kind text not null check (actor_kind in ('token', 'operator', 'member', 'agent')),
  actor_id text,
  actor_name text not null,
  kind text not null,
  detail text,
  primary key (ticket_id, number)
) strict, without rowid;

-- Keys never expire: rows outlive the ticket, the project and the token's life, and hold the first answer's bytes.
-- `binding` stands for token and key, as 16 bytes of a SHA-256: at a million rows the index is what every request
-- changes at a random place, so it is kept narrow.
create table idempotency (
  binding blob not null,
  token_id text not null references api_token (id),
  key text not null,
  ticket_id text not null,
  body_digest text not null,
  answer text not null
) strict;
create unique index idempotency_binding on idempotency (binding);

create table agent_run (
  id text primary key,
  ticket_id text not null references ticket (id) on delete cascade,
  agent_id text not null references member (id),
  repository_id text references repository (id),
  state text not null check (
    state in ('queued', 'waiting', 'claimed', 'running', 'succeeded', 'failed', 'cancelled', 'expired')
  ),
  reason text,
  attempt integer not null,
  branch text not null,
  queued_at real not null,
  started_at real,
  ended_at real
) strict;
-- At most one run of a ticket lives.
create unique index agent_run_live on agent_run (ticket_id, agent_id)
  where state in ('queued', 'waiting', 'claimed', 'running');
create index agent_run_ticket on agent_run (ticket_id, id);
create index agent_run_repository on agent_run (repository_id) where repository_id is not null;
create index agent_run_queue on agent_run (state, queued_at, id);
