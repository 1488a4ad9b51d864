-- Repeats among any number of reports of one reportId.

-- The keys under which a repeat of a receipt is looked up: SHA-256 of the project, of the envelope's canonical digest
-- and of a set of attachments. A receipt has one for each set that a repeat may come with, so that one look finds it
-- among any number. Only reports whose reportId was there before have keys, and the report that was there.
create table repeat_key (
  key blob not null,
  received_at real not null,
  binding blob not null,
  primary key (key, received_at, binding)
) strict, without rowid;
create index repeat_key_received on repeat_key (received_at);

-- A reportId under which more than one report came. Receipts whose binding is not above `read_to` have their keys;
-- `prefix` is what their bindings begin with. `received_at` is that of the newest one that is known to have keys.
create table reused_report_id (
  prefix blob primary key,
  read_to blob not null,
  received_at real not null
) strict, without rowid;
create index reused_report_id_received on reused_report_id (received_at);
