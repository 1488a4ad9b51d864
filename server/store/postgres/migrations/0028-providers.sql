-- Identity providers (OpenID Connect) that people sign in with, beside passwords.

create table provider (
  -- A short name that an admin has chosen: it stands in the address to which the provider sends people back.
  id text collate "C" primary key,
  name text collate "C" not null,
  issuer text collate "C" not null,
  client_id text collate "C" not null,
  client_auth text collate "C" not null check (client_auth in ('secret', 'private-key', 'none')),
  -- Sealed with secret.key; null without one, empty when that key was lost.
  secret bytea,
  -- The file on the server that contains the secret instead.
  secret_file text collate "C",
  -- Null: openid, profile, email.
  scopes text collate "C",
  -- Null: groups.
  groups_claim text collate "C",
  -- JSON lists; null when empty.
  admin_groups text collate "C",
  member_groups text collate "C",
  domains text collate "C",
  new_members text collate "C" not null check (new_members in ('no', 'yes')),
  session_days integer not null,
  sign_out text collate "C" not null check (sign_out in ('intake', 'provider')),
  state text collate "C" not null check (state in ('enabled', 'disabled')),
  created_at double precision not null
);

-- Who somebody at a provider is here. An issuer never gives a subject to another person, unlike an e-mail address.
create table identity (
  issuer text collate "C" not null,
  subject text collate "C" not null,
  member_id text collate "C" not null references member (id) on delete cascade,
  created_at double precision not null,
  primary key (issuer, subject)
);
create index identity_member on identity (member_id);

-- Sessions that began at a provider.
create table provider_session (
  session_id text collate "C" primary key references session (id) on delete cascade,
  provider_id text collate "C" not null,
  subject text collate "C" not null,
  -- The session at the provider, where it has told.
  sid text collate "C",
  -- Sealed: with it the provider knows who signs out there too.
  id_token bytea
);
create index provider_session_subject on provider_session (provider_id, subject);

-- Hashes of what counts once: the state of a sign-in, and the id of a message about a sign-out.
create table used_once (
  hash text collate "C" primary key,
  expires_at double precision not null
);
create index used_once_expires on used_once (expires_at);

-- Links that the server's command line makes, with which a person signs in once.
create table sign_in_link (
  hash text collate "C" primary key,
  member_id text collate "C" not null references member (id) on delete cascade,
  expires_at double precision not null
);
create index sign_in_link_member on sign_in_link (member_id);
