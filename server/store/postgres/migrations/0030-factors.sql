-- What people sign in with beside a password and an identity provider.

-- Public keys of passkeys (WebAuthn). Each signs in alone, or as second factor.
create table passkey (
  id text collate "C" primary key,
  member_id text collate "C" not null references member (id) on delete cascade,
  -- As the authenticator calls it, in base64url.
  credential_id text collate "C" not null,
  -- In the form of COSE.
  public_key bytea not null,
  -- How often the key has signed, where its authenticator counts: it never goes back.
  counter double precision not null,
  -- JSON list of ways to reach the authenticator, as the browser has told.
  transports text collate "C" not null,
  name text collate "C" not null,
  created_at double precision not null,
  used_at double precision
);
create unique index passkey_credential on passkey (credential_id);
create index passkey_member on passkey (member_id);

-- Secrets of authenticator apps (RFC 6238).
create table totp (
  member_id text collate "C" primary key references member (id) on delete cascade,
  -- Sealed with secret.key; empty when that key was lost.
  secret bytea not null,
  -- The time step of the latest code that was used: it and those before count no more.
  used_step double precision not null,
  created_at double precision not null
);

-- Hashes of codes that take the place of a second factor, once each.
create table recovery_code (
  hash text collate "C" primary key,
  member_id text collate "C" not null references member (id) on delete cascade
);
create index recovery_code_member on recovery_code (member_id);
