-- Identity providers (OpenID Connect) that people sign in with, beside passwords.

create table provider (
  -- A short name that an admin has chosen: it stands in the address to which the provider sends people back.
  id text primary key,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_auth text not null check (client_auth in ('secret', 'private-key', 'none')),
  -- Sealed with secret.key; null without one, empty when that key was lost.
  secret blob,
  -- The file on the server that contains the secret instead.
  secret_file text,
  -- Null: openid, profile, email.
  scopes text,
  -- Null: groups.
  groups_claim text,
  -- JSON lists; null when empty.
  admin_groups text,
  member_groups text,
  domains text,
  new_members text not null check (new_members in ('no', 'yes')),
  session_days integer not null,
  sign_out text not null check (sign_out in ('intake', 'provider')),
  state text not null check (state in ('enabled', 'disabled')),
  created_at real not null
) strict;

-- Who somebody at a provider is here. An issuer never gives a subject to another person, unlike an e-mail address.
create table identity (
  issuer text not null,
  subject text not null,
  member_id text not null references member (id) on delete cascade,
  created_at real not null,
  primary key (issuer, subject)
) strict, without rowid;
create index identity_member on identity (member_id);

-- Sessions that began at a provider.
create table provider_session (
  session_id text primary key references session (id) on delete cascade,
  provider_id text not null,
  subject text not null,
  -- The session at the provider, where it has told.
  sid text,
  -- Sealed: with it the provider knows who signs out there too.
  id_token blob
) strict;
create index provider_session_subject on provider_session (provider_id, subject);

-- Hashes of what counts once: the state of a sign-in, and the id of a message about a sign-out.
create table used_once (
  hash text primary key,
  expires_at real not null
) strict;
create index used_once_expires on used_once (expires_at);

-- Links that the server's command line makes, with which a person signs in once.
create table sign_in_link (
  hash text primary key,
  member_id text not null references member (id) on delete cascade,
  expires_at real not null
) strict;
create index sign_in_link_member on sign_in_link (member_id);
