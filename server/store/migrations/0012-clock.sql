-- The last time at which the server held the machine's clock to be right. Deleting by age compares the clock with it.
create table clock_mark (
  id integer primary key check (id = 1),
  -- Epoch milliseconds.
  at real not null,
  -- The boot of the machine at that time, and how many milliseconds it had been up: within one boot it is known how much
  -- time has passed since, whatever the clock says.
  boot_id text not null,
  uptime real not null
) strict;
