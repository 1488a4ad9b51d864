-- The newest requests that each process has answered, for admins who watch them arrive. A process writes its own while
-- somebody watches at any process. Nothing of it outlives a crash of the database.
create unlogged table recent_requests (
  process text collate "C" primary key,
  -- When an admin last asked this process for them, in epoch milliseconds by the database's clock.
  watched_at double precision,
  -- JSON, newest first.
  requests text collate "C"
);
