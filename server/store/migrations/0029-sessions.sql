-- How a session began, as its owner sees it; null: before this was kept. `link`: with a link of an invitation, of a new
-- password or of the command line. `proxy`: an access proxy has named the person.
alter table session add column method text check (method in ('password', 'provider', 'passkey', 'link', 'proxy'));

-- Browsers and systems that a member has signed in with.
create table known_device (
  member_id text not null references member (id) on delete cascade,
  device text not null,
  seen_at real not null,
  primary key (member_id, device)
) strict, without rowid;
create index known_device_seen on known_device (seen_at);

-- Sign-ins from a browser or a network that was not known: the person is told of them.
create table new_device (
  -- Of the session that began; it may have ended.
  session_id text primary key,
  member_id text not null references member (id) on delete cascade,
  device text not null,
  network text,
  at real not null,
  -- `quiet`: nothing was mailed, because there is no mail server or too many mails had gone.
  mail text not null check (mail in ('waiting', 'told', 'quiet')),
  -- When the person has said on the page that it is known.
  dismissed_at real
) strict;
create index new_device_member on new_device (member_id, at);
create index new_device_waiting on new_device (at) where mail = 'waiting';
create index new_device_at on new_device (at);
