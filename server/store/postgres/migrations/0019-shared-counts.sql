-- What processes count together beside the requests of a minute. Unlogged where it may start anew after a crash.

-- Tries of passwords that failed, by a digest of the account and where they came from. Times are the database's.
create unlogged table password_try (
  id text collate "C" primary key,
  failures double precision not null,
  latest double precision not null
) with (fillfactor = 70);
create index password_try_latest on password_try (latest);

-- Counts a try of a password as a failure, unless its account has to wait: then returns the milliseconds to wait, and
-- counts nothing. `alone`: tries from one address or session; `shared`: those of a group of addresses, or null.
create function begin_password_try(
  alone text, shared text, free_alone integer, longest double precision, forgotten double precision,
  free_shared integer, comes_back double precision
) returns double precision language plpgsql as $$
declare
  tried password_try;
  now_at double precision;
  until_at double precision;
  failures_alone double precision := 0;
  failures_shared double precision := 0;
begin
  -- Locks both rows, in one order for everybody.
  insert into password_try select given, 0, 0 from unnest(array[alone, shared]) as given
    where given is not null order by given collate "C"
    on conflict (id) do update set failures = password_try.failures;
  -- The clock is read behind the locks, so that the times of a row only grow.
  now_at := extract(epoch from clock_timestamp()) * 1000;
  until_at := now_at;
  select * into tried from password_try where id = alone;
  if now_at - tried.latest < forgotten then failures_alone := tried.failures; end if;
  if failures_alone >= free_alone then
    until_at := tried.latest + least(longest, 1000 * 2 ^ least(failures_alone - free_alone + 1, 30));
  end if;
  if shared is not null then
    select * into tried from password_try where id = shared;
    failures_shared := greatest(0, tried.failures - (now_at - tried.latest) / comes_back);
    until_at := greatest(until_at, now_at + (failures_shared + 1 - free_shared) * comes_back);
  end if;
  if until_at > now_at then return until_at - now_at; end if;
  update password_try set failures = failures_alone + 1, latest = now_at where id = alone;
  update password_try set failures = failures_shared + 1, latest = now_at where id = shared;
  return 0;
end
$$;

-- The uploads that are under way. Those of a process that is gone count no more.
create unlogged table upload (
  id text collate "C" primary key,
  process text collate "C" not null,
  sdk_key text collate "C" not null,
  address text collate "C" not null
);
create index upload_process on upload (process);
create index upload_sdk_key on upload (sdk_key);
create index upload_address on upload (address);

-- Takes a place for an upload; returns which limit refuses it, or null.
create function begin_upload(
  given_id text, given_process text, given_key text, given_address text, per_key integer, per_address integer
) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('uploads of a key'), hashtext(given_key));
  perform pg_advisory_xact_lock(hashtext('uploads of an address'), hashtext(given_address));
  if per_key <= (select count(*) from upload u join process p on p.id = u.process where u.sdk_key = given_key) then
    return 'key';
  end if;
  if per_address <= (select count(*) from upload u join process p on p.id = u.process where u.address = given_address)
  then
    return 'address';
  end if;
  insert into upload (id, process, sdk_key, address) values (given_id, given_process, given_key, given_address)
    on conflict do nothing;
  return null;
end
$$;

-- The links that set up a new installation: each process prints one, and every process knows all of them.
create table setup_link (
  hash text collate "C" primary key,
  until double precision not null
);

-- The latest replay of many deliveries of each subscriber. One whose holder is gone has stopped.
create table replay_job (
  subscriber_id text collate "C" primary key references subscriber (id) on delete cascade,
  id text collate "C" not null,
  kind text collate "C" not null check (kind in ('dead', 'missed')),
  state text collate "C" not null check (state in ('running', 'done', 'stopped', 'failed')),
  since double precision not null,
  started_at double precision not null,
  replayed integer not null,
  holder text collate "C" not null
);
