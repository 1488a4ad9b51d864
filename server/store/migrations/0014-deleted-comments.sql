-- What a deleted comment said, until nobody wants it back: the activity has no more than that it was deleted.
create table deleted_comment (
  ticket_id text not null,
  number integer not null,
  detail text not null,
  deleted_at real not null,
  primary key (ticket_id, number),
  foreign key (ticket_id, number) references activity (ticket_id, number) on delete cascade
) strict, without rowid;
create index deleted_comment_at on deleted_comment (deleted_at);
