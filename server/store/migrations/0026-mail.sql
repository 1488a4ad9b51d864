-- Mails that wait to be sent, and for 30 days what became of them.
create table mail (
  id text primary key,
  kind text not null check (kind in ('invite', 'reset', 'notice')),
  recipient text not null,
  subject text not null,
  -- Sealed with secret.key, because a link in it opens an account; null once nothing is sent any more.
  body blob,
  state text not null check (state in ('waiting', 'sent', 'failed', 'expired')),
  created_at real not null,
  -- It is of no use to its reader afterwards.
  expires_at real not null,
  -- When it is tried next; while it is being sent, when the lease is over. Null once nothing is sent any more.
  next_at real,
  attempts integer not null,
  lease text,
  ended_at real,
  -- Why the latest attempt failed: a code, and what the mail server said.
  fault text,
  detail text
) strict;
create index mail_due on mail (next_at, id) where state = 'waiting';
create index mail_ended on mail (ended_at, id) where state <> 'waiting';

-- The password for the mail server, sealed with secret.key.
create table smtp_password (
  id integer primary key check (id = 1),
  sealed blob not null
) strict;
