-- People: who is signed in from where, who has joined, and who did what from which network.

-- Nobody could sign in before.
drop table session;
create table session (
  id text primary key,
  -- SHA-256 of the cookie's value.
  hash text not null unique,
  member_id text not null references member (id) on delete cascade,
  created_at real not null,
  seen_at real not null,
  -- At the latest; days without a request end it sooner.
  expires_at real not null,
  -- When the password was last given.
  password_at real not null,
  user_agent text,
  network text
) strict;
create index session_member on session (member_id, id);

alter table member add column seen_at real;
alter table member add column joined_at real;
update member set joined_at = created_at where password_hash is not null;

-- A link invites, or resets a password.
alter table invitation add column kind text not null default 'invite' check (kind in ('invite', 'reset'));

-- The system acts too, and somebody who is not signed in yet.
create table audit_entry (
  id text primary key,
  at real not null,
  actor_kind text not null check (actor_kind in ('operator', 'member', 'token', 'system', 'visitor')),
  actor_id text,
  actor_name text not null,
  action text not null,
  object text not null,
  before text,
  after text,
  network text,
  request_id text
) strict;
insert into audit_entry (id, at, actor_kind, actor_id, actor_name, action, object, before, after)
  select id, at, actor_kind, actor_id, actor_name, action, object, before, after from audit;
drop table audit;
alter table audit_entry rename to audit;
create index audit_actor on audit (actor_id, id);
create index audit_action on audit (action, id);
create index audit_object on audit (object, id);
