-- Where a member has signed in from, also after the session has ended: guessing from elsewhere does not hold up sign-ins from there.
create table known_network (
  member_id text not null references member (id) on delete cascade,
  network text not null,
  seen_at real not null,
  primary key (member_id, network)
) strict, without rowid;
create index known_network_seen on known_network (seen_at);
insert into known_network (member_id, network, seen_at)
  select member_id, network, max(seen_at) from session where network is not null group by member_id, network;
