import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";

/**
 * The limit to measure against: nothing but `Bun.serve`, the same JSON, one look-up of the token, and the same rows
 * committed in groups at `synchronous=FULL`. No checks, no limits, no errors, no log, no page cache settings.
 *
 * `bun bare.ts DIR PORT TOKEN`, on the schema of the real thing.
 */
const [folder = ".", port = "0", token = ""] = process.argv.slice(2);
const db = new Database(`${folder}/bare.db`, { create: true, strict: true });
db.run("pragma journal_mode = wal");
db.run("pragma synchronous = full");
db.run("pragma foreign_keys = on");
db.run(readFileSync(`${import.meta.dir}/../../../server/store/migrations/0001-core.sql`, "utf8"));

const id = () => Bun.randomUUIDv7();
const [project, board, column, tokenId] = [id(), id(), id(), id()];
const hash = (text: string | Uint8Array) => Bun.SHA256.hash(text, "hex");
db.run("insert into project values (?, 'P', 1, 0, null)", [project]);
db.run("insert into board values (?, ?, 'B', 1, 0, null)", [board, project]);
db.run("insert into board_column values (?, ?, 'C', 1, 0)", [column, board]);
db.run(
  `insert into api_token (id, name, hash, scopes, reaches_all, requests_per_window, created_at)
   values (?, 'T', ?, 'tickets:write', 1, 60, 0)`,
  [tokenId, hash(token)],
);

const begin = db.prepare("begin immediate");
const commit = db.prepare("commit");
const authenticate = db.prepare<{ id: string }, [string]>("select id from api_token where hash = ?");
const bound = db.prepare<{ answer: string }, [Uint8Array]>("select answer from idempotency where binding = ?");
const insertTicket = db.prepare(
  `insert into ticket values (?1, ?2, (select coalesce(min(position), 0) - 1 from ticket where column_id in (?2)), ?3, ?4, ?5,
     null, null, null, null, ?6, 'T', ?7)`,
);
const insertActivity = db.prepare("insert into activity values (?, 1, ?, 'token', ?, 'T', 'created', null)");
const insertKey = db.prepare("insert into idempotency values (?, ?, ?, ?, ?, ?)");

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
    const answer = JSON.stringify({
      id: ticket,
      title: body.title,
      projectId: project,
      boardId: board,
      columnId: column,
      createdAt: new Date(now).toISOString(),
      url: `http://127.0.0.1:${port}/cards/${ticket}`,
    });
    insertTicket.run(ticket, column, body.title, body.description, body.priority, tokenId, now);
    insertActivity.run(ticket, now, tokenId);
    insertKey.run(binding, tokenId, key, ticket, digest, answer);
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
