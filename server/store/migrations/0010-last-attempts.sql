-- The last attempt of each subscriber with its whole answer; the attempts before it keep the beginning of theirs.
create table last_attempt (
  subscriber_id text primary key references subscriber (id) on delete cascade,
  delivery_id text not null,
  number integer not null,
  -- A JSON object; null when nothing answered, and for attempts from before this table.
  headers text,
  -- Up to 16 KiB of the answer's body.
  answer text,
  -- 1 when the body was longer than what was read of it.
  answer_cut integer not null,
  foreign key (delivery_id, number) references attempt (delivery_id, number) on delete cascade
) strict;
create index last_attempt_attempt on last_attempt (delivery_id, number);

-- Attempts by the hour in which they began; of each subscriber the last 48 hours are kept.
create table attempt_hour (
  subscriber_id text not null references subscriber (id) on delete cascade,
  -- The start of the hour.
  at real not null,
  accepted integer not null,
  failed integer not null,
  primary key (subscriber_id, at)
) strict, without rowid;

-- Lists show what was attempted before what is held without an attempt.
create index delivery_attempted on delivery (subscriber_id, created_at, id) where attempts > 0 or state <> 'waiting';

-- What is known of attempts from before: of those deliveries that may have had one in the last 48 hours.
insert into attempt_hour (subscriber_id, at, accepted, failed)
select d.subscriber_id, 3600000 * floor(a.at / 3600000),
  sum(case when a.error is null then 1 else 0 end), sum(case when a.error is null then 0 else 1 end)
from (select s.id, (select max(n.created_at) from delivery n where n.subscriber_id = s.id) as newest from subscriber s) r
  join delivery d on d.subscriber_id = r.id and d.created_at > r.newest - 360000000
  join attempt a on a.delivery_id = d.id and a.at > r.newest - 172800000
group by 1, 2;

insert into last_attempt (subscriber_id, delivery_id, number, headers, answer, answer_cut)
select subscriber_id, delivery_id, number, null, answer, 0
from (
  select d.subscriber_id, a.delivery_id, a.number, a.answer,
    row_number() over (partition by d.subscriber_id order by a.at desc, a.delivery_id, a.number) as place
  from (select s.id, (select max(n.created_at) from delivery n where n.subscriber_id = s.id) as newest from subscriber s) r
    join delivery d on d.subscriber_id = r.id and d.created_at > r.newest - 360000000
    join attempt a on a.delivery_id = d.id
) latest
where place = 1;
