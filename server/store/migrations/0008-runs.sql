-- Agent runs that machines execute, what they write, and the credits that they consume.

-- Denormalised: a card never leaves its project, and claims choose among projects.
alter table agent_run add column project_id text;
update agent_run set project_id = (
  select b.project_id from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id
  where t.id = agent_run.ticket_id
);
-- Who holds it: the SHA-256 of the lease's token, kept after the end, so that a repeated completion is recognised.
alter table agent_run add column lease text;
alter table agent_run add column lease_until real;
alter table agent_run add column claim_id text;
alter table agent_run add column runner_name text;
alter table agent_run add column runner_token_id text;
alter table agent_run add column claimed_at real;
alter table agent_run add column heartbeat_at real;
-- When it is waited for no longer: in the queue, or under way.
alter table agent_run add column deadline_at real;
update agent_run set deadline_at = queued_at + 86400000 where state in ('queued', 'waiting');
alter table agent_run add column progress text;
alter table agent_run add column summary text;
alter table agent_run add column pull_request_url text;
alter table agent_run add column credits_held integer not null default 0;
alter table agent_run add column credits_used integer not null default 0;
-- Bytes of the present attempt's log that came, and of all attempts that are kept.
alter table agent_run add column log_length integer not null default 0;
alter table agent_run add column log_kept integer not null default 0;

create index agent_run_project on agent_run (project_id, queued_at, id) where state = 'queued';
create index agent_run_waiting on agent_run (reason, queued_at, id) where state = 'waiting';
create index agent_run_deadline on agent_run (deadline_at) where state in ('queued', 'waiting', 'claimed', 'running');
create index agent_run_lease on agent_run (lease_until) where lease_until is not null;
create index agent_run_claim on agent_run (runner_token_id, claim_id) where claim_id is not null;

-- Which project's turn was last: the next claim goes to the one whose turn is longest ago. Counted, because clocks jump.
create table run_turn (
  project_id text primary key references project (id) on delete cascade,
  turn integer not null
) strict, without rowid;

-- What the machine that executes a run writes, in order. `at_byte` is where it stands in the attempt's log.
create table run_log (
  run_id text not null references agent_run (id) on delete cascade,
  number integer not null,
  attempt integer not null,
  at_byte integer not null,
  at real not null,
  text text not null,
  primary key (run_id, number)
) strict, without rowid;

-- Machines that asked for runs, by the token that they use and the name that they give themselves.
create table runner (
  token_id text not null references api_token (id),
  name text not null,
  version text not null,
  -- A JSON list.
  labels text not null,
  seen_at real not null,
  primary key (token_id, name)
) strict, without rowid;
create index runner_seen on runner (seen_at);

-- Null: nobody has granted any, so runs are counted and nothing is held.
alter table organisation add column credits integer check (credits >= 0);
-- What a run of this repository is held for when it is claimed.
alter table repository add column run_credits integer not null default 10 check (run_credits between 0 and 1000000);

-- Never changed, never deleted: the sum of the amounts is the balance.
create table credit_entry (
  id text primary key,
  at real not null,
  kind text not null check (kind in ('grant', 'hold', 'settle', 'release', 'adjust')),
  amount integer not null,
  balance integer not null check (balance >= 0),
  -- No reference: it outlives the run.
  run_id text,
  attempt integer,
  note text,
  actor_name text not null
) strict;
create unique index credit_entry_run on credit_entry (run_id, attempt, kind) where run_id is not null;
