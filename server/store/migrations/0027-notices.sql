-- What admins are told of: of each rule and what it is about one row, however often it is raised.
create table notice (
  id text primary key,
  rule text not null,
  -- What it is about: the id of a subscriber or token, the name of a machine; empty where there is only one such thing.
  subject text not null,
  -- Null: of the whole installation.
  project_id text,
  -- What the subject is called, and what was found, for people.
  name text,
  text text not null,
  -- How many things were found, where that is counted.
  count real not null,
  -- The page where something can be done.
  path text not null,
  raised_at real not null,
  -- When the cause was last seen by the process that looks for it; only of what each process looks for by itself.
  seen_at real not null,
  cleared_at real,
  -- How often it was raised.
  times integer not null,
  dismissed_at real,
  dismissed_by text,
  -- What was last told to subscribers, and when; null: nothing, since it was raised anew.
  told text check (told in ('raised', 'cleared')),
  told_at real
) strict;
create unique index notice_subject on notice (rule, subject);
create index notice_order on notice (raised_at, id);

-- Titles of reports with the level fatal that were seen: the first report of each makes a notice.
create table fatal_title (
  project_id text not null references project (id) on delete cascade,
  title text not null,
  event_id text not null,
  at real not null,
  noticed integer not null,
  primary key (project_id, title)
) strict, without rowid;
create index fatal_title_new on fatal_title (at, project_id, title) where noticed = 0;
create index fatal_title_age on fatal_title (project_id, at);
-- Further new titles of a storm, which are only counted.
create table fatal_title_more (
  project_id text primary key references project (id) on delete cascade,
  count real not null
) strict, without rowid;

-- What was stored before is not new. The newest 10,000 titles of a project are known.
insert into fatal_title (project_id, title, event_id, at, noticed)
select project_id, title, event_id, at, 1 from (
  select project_id, title, min(id) as event_id, min(received_at) as at,
    row_number() over (partition by project_id order by max(received_at) desc) as place
  from event where level = 'fatal' and title is not null group by project_id, title
) seen where place <= 10000;
