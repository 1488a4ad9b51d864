import Fastify from "fastify";
import { hash, openDatabase } from "./database.js";
import { ticketWriter } from "./tickets.js";
import { grouped, oneByOne } from "./transactions.js";

/** `node tickets-server.js DIR PORT TOKEN each|grouped`: Fastify and better-sqlite3 at `synchronous = FULL`. */
const [folder, port, secret, mode] = process.argv.slice(2);
const { db, place } = openDatabase(folder, secret);
let url = "";
const write = ticketWriter({ db, place }, () => url);
const store = mode === "grouped" ? grouped(db, write) : oneByOne(db, write);
const authenticate = db.prepare("select id, name, scopes from api_token where hash = ? and revoked_at is null");

const app = Fastify();
app.decorateRequest("token", null);
app.decorateRequest("digest", "");
// A key is bound to the digest of the raw body.
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
  request.digest = hash(body);
  try {
    done(null, JSON.parse(body.toString()));
  } catch (error) {
    error.statusCode = 400;
    done(error);
  }
});

app.get("/livez", async () => ({ status: "live" }));

app.post("/api/v1/tickets", {
  schema: {
    headers: {
      type: "object",
      properties: { "idempotency-key": { type: "string", minLength: 1, maxLength: 255 } },
      required: ["idempotency-key"],
    },
    body: {
      type: "object",
      additionalProperties: false,
      required: ["title"],
      properties: {
        title: { type: "string", minLength: 1, maxLength: 200 },
        description: { type: "string", maxLength: 100_000 },
        priority: { type: "string", enum: ["none", "low", "medium", "high"] },
      },
    },
  },
  onRequest: async (request, reply) => {
    request.token = authenticate.get(hash(request.headers.authorization?.slice(7) ?? ""));
    if (!request.token) return reply.code(401).send({ error: "invalid_api_token" });
  },
  handler: async (request, reply) => {
    const { token, digest, body, headers } = request;
    const answer = await store({ token, digest, key: headers["idempotency-key"], ...body });
    return reply.code(201).type("application/json").send(answer);
  },
});

url = await app.listen({ host: "127.0.0.1", port: Number(port) });
process.stdout.write(`listening on ${url}\n`);
