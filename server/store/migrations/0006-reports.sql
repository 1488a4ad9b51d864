-- Reports as the dashboard shows them: found by what they say, counted over time, with their repeats and cards.

-- Where a report stands in report_text: its time of receipt in milliseconds times 2048, and a count within that
-- millisecond, so that the index itself runs in the order of lists.
create table report_number (
  number integer primary key,
  event_id text not null unique references event (id) on delete cascade
) strict;

-- The words of title and message, and what can be filtered by, as terms of our own making. Filled behind the reports.
create virtual table report_text using fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4'
);
-- Which words there are.
create virtual table report_word using fts5vocab(report_text, instance);
create trigger report_text_gone after delete on report_number begin
  delete from report_text where rowid = old.number;
end;

-- All reports of the project that were received until then stand in report_text.
create table report_indexed (
  project_id text primary key references project (id) on delete cascade,
  until real not null
) strict, without rowid;

-- The last repeats of a report: a ring of 100 places.
create table report_repeat (
  event_id text not null references event (id) on delete cascade,
  place integer not null,
  at real not null,
  key_id text not null,
  -- SHA-256 of each attachment that came with it, 32 bytes each.
  attachments blob not null,
  primary key (event_id, place)
) strict, without rowid;

create index event_repeated on event (project_id, received_at, id) where repeat_count > 0;

create table report_card (
  event_id text not null references event (id) on delete cascade,
  ticket_id text not null references ticket (id) on delete cascade,
  primary key (event_id, ticket_id)
) strict, without rowid;
create index report_card_ticket on report_card (ticket_id);

-- Counts over time, for charts. `project_id` is empty for what belongs to none. `step` is the length of a bucket in
-- milliseconds, `at` its start.
create table tally (
  project_id text not null,
  step integer not null,
  at real not null,
  series text not null,
  label text not null,
  count real not null,
  primary key (project_id, step, at, series, label)
) strict, without rowid;

-- What was stored before there were counts; repeats of that time are not known.
insert into tally (project_id, step, at, series, label, count)
select project_id, 3600000, 3600000.0 * cast(received_at / 3600000 as integer), 'report', coalesce(level, 'none'), count(*)
from event group by 1, 2, 3, 4, 5;

-- Of `bytes`, what attachments take: kept apart, so that nobody has to add them up.
alter table project_usage add column file_bytes real not null default 0;
update project_usage set file_bytes = (
  select coalesce(sum(a.size), 0) from event e join attachment a on a.event_id = e.id
  where e.project_id = project_usage.project_id
);
