-- From which branch a run of a repository begins; null: the repository's own default branch.
alter table repository add column base_branch text;

-- What runs have used while credits were not limited: nothing was held for them, so the ledger says nothing of it.
alter table organisation add column credits_counted integer not null default 0 check (credits_counted >= 0);
update organisation set credits_counted = (
  select coalesce(sum(r.credits_used), 0) from agent_run r
  where r.ended_at is not null and r.lease_until is null
    and not exists (select 1 from credit_entry e where e.at <= coalesce(r.claimed_at, r.queued_at))
);
