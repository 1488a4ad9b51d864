-- The form of the messages: Intake's own, or what the webhook of a chat takes.
alter table subscriber add column format text collate "C" not null default 'intake';
