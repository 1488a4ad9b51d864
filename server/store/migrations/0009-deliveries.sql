-- Why nothing was sent, in words; null where something was sent.
alter table attempt add column detail text;

-- When deliveries were last looked at, by the clock of the machine: tells a clock that was set while nobody looked.
create table delivery_clock (
  id integer primary key check (id = 1),
  seen_at real not null,
  -- By how much waits are being moved since the clock was set; null when all have moved.
  move_by real,
  -- What the clock showed then.
  move_at real,
  -- Up to where they have moved: those of earlier subscribers, and of this one up to that place. Null at the beginning.
  move_subscriber_id text,
  move_next_at real,
  move_delivery_id text
) strict;
