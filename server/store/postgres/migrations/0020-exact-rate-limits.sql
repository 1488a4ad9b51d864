-- A request leaves the window by the clock. Step 18 took the last stamp for the time where that was later, which it is
-- within a step of a tenth of a second: for limits beyond 600 a span of 60 s could begin up to a tenth of a second early.

-- Admits at most `limit` requests of an id in every span of 60 s, wherever it starts; what is refused is not counted.
-- Takes many requests at once and gives one row for each id, of which the first `admitted` ones are admitted.
-- `oldest_in`: milliseconds until the oldest counted request leaves the window; `leaves_in`: until one more would be
-- admitted, where some were refused.
create or replace function admit_requests(ids text[], requests integer[], limits integer[])
  returns table (
    id text, most integer, admitted integer, remaining integer,
    oldest_in double precision, leaves_in double precision, stamp double precision
  )
  language plpgsql as $$
declare
  asked record;
  log rate;
  now_at double precision;
  counted integer;
  gone integer;
  enough integer;
begin
  -- In one order for everybody, so that nobody waits for a row of somebody who waits for one of ours.
  for asked in
    select u.id, u.wanted, u.most from unnest(ids, requests, limits) as u (id, wanted, most)
    order by u.id collate "C", u.most
  loop
    -- Requests that nobody needs to count any more are swept at any moment, also between these two statements.
    loop
      select * into log from rate where rate.id = asked.id for update;
      exit when found;
      insert into rate values (asked.id, '{}', '{}', 0) on conflict do nothing;
    end loop;
    now_at := extract(epoch from clock_timestamp()) * 1000;
    gone := 0;
    while gone < cardinality(log.times) and log.times[gone + 1] <= now_at - 60000 loop
      gone := gone + 1;
    end loop;
    log.times := log.times[gone + 1:];
    log.counts := log.counts[gone + 1:];
    select coalesce(sum(c), 0) into counted from unnest(log.counts) as c;
    id := asked.id;
    most := asked.most;
    admitted := greatest(0, least(asked.wanted, asked.most - counted));
    -- A limit beyond 600 counts in steps of a tenth of a second, at the end of the step: never more than the limit.
    -- The stamps of a row only grow, also when the clock is set back.
    stamp := greatest(
      case when asked.most > 600 then ceil(now_at / 100) * 100 else now_at end,
      coalesce(log.times[cardinality(log.times)], 0)
    );
    if admitted > 0 then
      if cardinality(log.times) > 0 and log.times[cardinality(log.times)] = stamp then
        log.counts[cardinality(log.counts)] := log.counts[cardinality(log.counts)] + admitted;
      else
        log.times := log.times || stamp;
        log.counts := log.counts || admitted;
      end if;
      counted := counted + admitted;
    end if;
    remaining := greatest(0, asked.most - counted);
    oldest_in := log.times[1] + 60000 - now_at;
    leaves_in := oldest_in;
    if admitted < asked.wanted then
      -- When the limit has been lowered, more than one request has to leave the window.
      gone := 0;
      enough := counted - asked.most + 1;
      while enough > 0 and gone < cardinality(log.times) loop
        gone := gone + 1;
        enough := enough - log.counts[gone];
      end loop;
      leaves_in := log.times[gone] + 60000 - now_at;
    end if;
    update rate set times = log.times, counts = log.counts, seen_at = now_at where rate.id = asked.id;
    return next;
  end loop;
end
$$;
