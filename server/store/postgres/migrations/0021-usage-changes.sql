-- Changes of what projects keep that are not yet counted in project_usage: a row that each report of a project updates
-- would let one process at a time store reports of the project. Added up twice a second by one process.
create table project_usage_change (
  project_id text collate "C" not null,
  events bigint not null,
  bytes double precision not null,
  file_bytes double precision not null,
  day text collate "C" not null,
  day_bytes double precision not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index project_usage_change_project on project_usage_change (project_id);

-- project_usage as it is with these changes: bytes of a day are those of the newest day.
create view project_usage_now as
select project_id, cast(sum(events) as bigint) as events, sum(bytes) as bytes, sum(file_bytes) as file_bytes,
  max(day) as day, sum(case when day = newest then day_bytes else 0 end) as day_bytes
from (
  select u.*, max(u.day) over (partition by u.project_id) as newest
  from (
    select project_id, events, bytes, file_bytes, day, day_bytes from project_usage
    union all
    select project_id, events, bytes, file_bytes, day, day_bytes from project_usage_change
  ) u
) counted
group by project_id;
