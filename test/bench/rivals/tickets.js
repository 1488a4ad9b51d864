import { createHash } from "node:crypto";
import { newId } from "./database.js";

/** The rows of one ticket: look-up of the key, ticket, activity, key with the answer. */
export function ticketWriter({ db, place }, url) {
  const bound = db.prepare("select answer from idempotency where binding = ?").pluck();
  const insertTicket = db.prepare(
    `insert into ticket (id, column_id, position, title, description, priority, token_id, author_name, created_at)
     values (@id, @columnId, (select coalesce(min(position), 0) - 1 from ticket where column_id in (@columnId)),
       @title, @description, @priority, @tokenId, @author, @now)`,
  );
  const insertActivity = db.prepare(
    `insert into activity (ticket_id, number, at, actor_kind, actor_id, actor_name, kind)
     values (@id, 1, @now, 'token', @tokenId, @author, 'created')`,
  );
  const insertKey = db.prepare(
    "insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer) values (?, ?, ?, ?, ?, ?)",
  );

  return ({ token, key, digest, title, description, priority }) => {
    const binding = createHash("sha256").update(`${token.id} ${key}`).digest().subarray(0, 16);
    const first = bound.get(binding);
    if (first !== undefined) return first;
    const [id, now] = [newId(), Date.now()];
    const row = { id, now, columnId: place.columnId, tokenId: token.id, author: token.name };
    insertTicket.run({ ...row, title, description: description ?? null, priority: priority ?? "none" });
    insertActivity.run(row);
    const createdAt = new Date(now).toISOString();
    const answer = JSON.stringify({ id, title, ...place, createdAt, url: `${url()}/cards/${id}` });
    insertKey.run(binding, token.id, key, id, digest, answer);
    return answer;
  };
}
