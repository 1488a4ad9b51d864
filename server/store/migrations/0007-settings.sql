-- What people want to know of what they have made: who made a token, how it fares, what a subscriber is called.

-- Null: made before this was noted.
alter table api_token add column author_name text;
-- Of the last request, noted within a second of it.
alter table api_token add column last_status integer;
alter table api_token add column last_network text;
-- Requests whose key came with another body than the first time.
alter table api_token add column mismatches integer not null default 0;
-- Requests that came after it was revoked.
alter table api_token add column late_calls integer not null default 0;
alter table api_token add column late_at real;
alter table api_token add column late_network text;

-- Two bytes of each field of the first body, to tell which fields of a retry are others. Null: not noted yet.
alter table idempotency add column fields text;

-- Null: it is called by its host.
alter table subscriber add column name text;
