import { Database } from "bun:sqlite";
import { migrations } from "../../../server/store/migrations/index.ts";

/**
 * The limit to measure against: nothing but `Bun.serve`, the same JSON, one look-up of the token, and the rows that are
 * the record of a ticket as Intake writes them, with the same indexes, committed in groups at `synchronous=FULL`: ticket,
 * activity and idempotency key. The key has a unique index, as any server would have it. Nothing that is derived from them: no index of words, no
 * counts, no log of requests. No checks, no limits, no errors, no page cache settings.
 *
 * `bun bare.ts DIR PORT TOKEN`, on the schema of the real thing.
 */
const [folder = ".", port = "0", token = ""] = process.argv.slice(2);
const db = new Database(`${folder}/bare.db`, { create: true, strict: true });
db.run("pragma journal_mode = wal");
db.run("pragma synchronous = full");
db.run("pragma foreign_keys = on");
for (const { sql } of migrations) db.run(sql);

const id = () => Bun.randomUUIDv7();
const [project, board, column, tokenId] = [id(), id(), id(), id()];
const hash = (text: string | Uint8Array) => Bun.SHA256.hash(text, "hex");
const tokenName = "First token";
db.run("insert into project (id, name, position, created_at) values (?, 'P', 1, 0)", [project]);
db.run("insert into board (id, project_id, name, position, created_at) values (?, ?, 'B', 1, 0)", [board, project]);
db.run("insert into board_column (id, board_id, name, position, created_at) values (?, ?, 'C', 1, 0)", [column, board]);
db.run(
  `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at)
   values (?, ?, ?, 'tickets:write', 1, 60, 0)`,
  [tokenId, tokenName, hash(token)],
);

const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const authenticate = db.prepare<{ id: string }, [string]>("select id from api_token where hash = ?");
const bound = db.prepare<{ answer: string }, [Uint8Array]>("select answer from idempotency where binding = ?");
const insertTicket = db.prepare(
  `insert into ticket (id, column_id, position, title, description, priority, token_id, author_name, idempotency_key, created_at)
   values (?1, ?2, (select coalesce(min(position), 0) - 1 from ticket where column_id = ?2 and live = 1),
     ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
);
const insertActivity = db.prepare(
  `insert into activity (ticket_id, number, at, actor_kind, actor_id, actor_name, kind)
   values (?, 1, ?, 'token', ?, ?, 'created')`,
);
const insertKey = db.prepare(
  `insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer, fields) values (?, ?, ?, ?, ?, ?, ?)`,
);

interface Job {
  body: { title: string; description: string; priority: string };
  key: string;
  digest: string;
  resolve: (answer: string) => void;
}
let queue: Job[] = [];

function flush() {
  const batch = queue;
  queue = [];
  const answers: string[] = [];
  begin.run();
  for (const { body, key, digest } of batch) {
    const binding = new Uint8Array(Bun.SHA256.hash(`${tokenId} ${key}`).buffer, 0, 16);
    const [known] = bound.all(binding);
    if (known) {
      answers.push(known.answer);
      continue;
    }
    const [ticket, now] = [id(), Date.now()];
    const { title, description, priority } = body;
    // As long as the fingerprints of Intake.
    const fields = `title:${digest.slice(0, 4)},description:${digest.slice(4, 8)},priority:${digest.slice(8, 12)}`;
    const answer = JSON.stringify({
      id: ticket,
      title,
      projectId: project,
      boardId: board,
      columnId: column,
      createdAt: new Date(now).toISOString(),
      url: `http://127.0.0.1:${port}/cards/${ticket}`,
    });
    insertTicket.run(ticket, column, title, description, priority, tokenId, tokenName, key, now);
    insertActivity.run(ticket, now, tokenId, tokenName);
    insertKey.run(binding, tokenId, key, ticket, digest, answer, fields);
    answers.push(answer);
  }
  commit.run();
  for (const [i, job] of batch.entries()) job.resolve(answers[i] ?? "");
}

const server = Bun.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  async fetch(request) {
    const presented = request.headers.get("authorization")?.slice(7) ?? "";
    if (authenticate.all(hash(presented)).length === 0) return new Response(null, { status: 401 });
    const bytes = await request.bytes();
    const answer = await new Promise<string>((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({
        body: JSON.parse(new TextDecoder().decode(bytes)),
        key: request.headers.get("idempotency-key") ?? "",
        digest: hash(bytes),
        resolve,
      });
    });
    return new Response(answer, { status: 201, headers: { "content-type": "application/json" } });
  },
});
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`);
