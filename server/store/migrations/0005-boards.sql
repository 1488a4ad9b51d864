-- Boards and cards as people use them.

-- What is deleted from a page is out of sight at once, and emptied in the background.
alter table project add column deleted_at real;
alter table board add column deleted_at real;

alter table board_column add column category text not null default 'todo'
  check (category in ('backlog', 'todo', 'doing', 'done'));
alter table board_column add column card_limit integer;
update board_column set category = 'backlog' where name = 'Backlog';
update board_column set category = 'doing' where name = 'In progress';
update board_column set category = 'done' where name = 'Done';

-- Null when a token made it.
alter table ticket add column author_id text references member (id);
alter table ticket add column archived_at real;
alter table ticket add column deleted_at real;
-- Whether it stands on its board.
alter table ticket add column live integer not null default 1
  check ((live = 1) = (archived_at is null and deleted_at is null));
-- Of title and description.
alter table ticket add column version integer not null default 1;
-- Null: never since it was created.
alter table ticket add column updated_at real;
alter table ticket add column moves integer not null default 0;
alter table ticket add column moved_at real;
-- Who moved it last, as JSON.
alter table ticket add column moved_by text;
alter table ticket add column idempotency_key text;
-- Requests that were answered with it again, and those among them that came with another body.
alter table ticket add column replays integer not null default 0;
alter table ticket add column mismatches integer not null default 0;
update ticket set idempotency_key = i.key from idempotency i where i.ticket_id = ticket.id;

drop index ticket_order;
create index ticket_order on ticket (column_id, live, position, id);
create index ticket_deleted on ticket (deleted_at) where deleted_at is not null;
create index ticket_archived on ticket (column_id, archived_at, id) where archived_at is not null;

-- What a page's change has led to, so that sending it again changes nothing. Forgotten after some days.
create table card_op (
  op text primary key,
  member_id text not null,
  ticket_id text not null,
  -- Of the activity, where the change was a comment.
  number integer,
  at real not null
) strict, without rowid;
create index card_op_at on card_op (at);

-- Titles by their words, and the last digits of ids: filled after the fact, so that creating a card never waits for it.
-- A beginning of a word that has an index of its own is found at once, however many cards have it.
create table card_text (
  number integer primary key,
  card_id text not null unique references ticket (id) on delete cascade
) strict;
create virtual table card_search using fts5 (
  title, short, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3 4 5 6 7 8'
);
create trigger card_text_gone after delete on card_text begin
  delete from card_search where rowid = old.number;
end;
