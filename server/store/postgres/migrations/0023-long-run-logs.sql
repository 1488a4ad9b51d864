-- A log counts all bytes that a run has written, also those beyond the 5 MiB that are kept: an integer ends at 2 GiB.
alter table agent_run alter column log_length type bigint;
