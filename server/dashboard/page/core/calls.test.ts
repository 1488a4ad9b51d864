import { afterAll, expect, test } from "bun:test";
import { treaty } from "@elysiajs/eden";
import { done } from "./api.ts";
import { callsAt } from "./calls.ts";

/** Answers that the server gives below /answers, by name. */
const answers: Record<string, () => Response> = {
  json: () => Response.json({ so: 1 }),
  charset: () => new Response('{"so":1}', { headers: { "content-type": "application/json; charset=utf-8" } }),
  null: () => Response.json(null),
  empty: () => new Response(null, { status: 204 }),
  refused: () => Response.json({ error: "not_found", message: "there is none" }, { status: 404 }),
  gateway: () => html("<h1>Bad gateway</h1>", 502),
  moved: () => new Response(null, { status: 300 }),
  // From here on the answers are read in another way than Eden's.
  capitals: () => new Response('{"so":1}', { headers: { "content-type": "Application/JSON" } }),
  page: () => html("<h1>Sign in</h1>", 200),
  untyped: () => new Response(new TextEncoder().encode('{"so":1}')),
  lines: () => new Response("{}\n{}", { headers: { "content-type": "application/json-seq" } }),
  cut: () => new Response('{"so":', { headers: { "content-type": "application/json" } }),
  proxy: () => Response.json({ error: { code: 7 }, message: ["no"], details: "none" }, { status: 403 }),
};

function html(text: string, status: number): Response {
  return new Response(text, { status, headers: { "content-type": "text/html" } });
}

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const answer = answers[pathname.replace("/answers/", "")];
    if (answer) return answer();
    const type = request.headers.get("content-type");
    return Response.json({ method: request.method, asked: pathname + search, type, body: await request.text() });
  },
});
afterAll(() => server.stop(true));

type Answer = Promise<{ data: unknown; error: { status: unknown; value: unknown } | null; response: Response }>;
type Sent = Record<"method" | "asked" | "body", string> & { type: string | null };
type Act = (body?: object, options?: object) => Answer;
interface Calls {
  cards: { get: (options?: object) => Answer } & ((of: { id: string }) => {
    get: (options?: object) => Answer;
    post: Act;
    put: Act;
    patch: Act;
    delete: Act;
    comments: { post: Act };
  });
  answers: (of: { name: string }) => { get: () => Answer };
  reports: { delete: { post: Act } };
}
const calls = callsAt(server.url.origin) as Calls;
const eden = treaty(server.url.origin, { parseDate: false }) as unknown as Calls;

/** What each answer of the server becomes. */
async function read(name: string, from = calls) {
  const { data, error, response } = await from.answers({ name }).get();
  return { data, error: error?.value ?? null, status: response.status };
}

test("a call reads the path that its names and parameters make, with the query that is given", async () => {
  const query = { cursor: undefined, text: "a b&c", state: ["open", "done"], none: [] };
  const { data, error } = await calls.cards({ id: "../x y" }).get({ query });
  const asked = "/cards/..%2Fx%20y?text=a+b%26c&state=open&state=done";
  expect(data).toEqual({ method: "GET", asked, type: null, body: "" });
  expect(error).toBeNull();
  expect((await calls.cards.get()).data).toMatchObject({ asked: "/cards" });
});

test("every kind of call sends what Eden's client sends", async () => {
  const query = { text: "ä/ü", empty: "", gone: undefined, state: ["a,b", "c"] };
  const kinds: ((from: Calls) => Answer)[] = [
    ({ cards }) => cards.get(),
    ({ cards }) => cards.get({ query }),
    ({ cards }) => cards({ id: "1" }).get({ query: {} }),
    ({ cards }) => cards({ id: "1" }).post({ text: "so", list: [1, null], none: undefined }),
    ({ cards }) => cards({ id: "1" }).put({}, { query }),
    ({ cards }) => cards({ id: "1" }).patch({ name: null }),
    ({ cards }) => cards({ id: "1" }).delete(),
    ({ cards }) => cards({ id: "1" }).delete(undefined, { query: { moveTo: "2" } }),
    ({ cards }) => cards({ id: "1" }).comments.post({ text: "so" }),
    ({ reports }) => reports.delete.post({ ids: [] }),
  ];
  const sent = async (from: Calls) => {
    const all = await Promise.all(kinds.map(async (call) => (await call(from)).data as Sent));
    return all.map(({ asked, type, ...one }) => ({
      ...one,
      // Eden writes a blank as %20, which is the same to a server, and gives a type to a GET, which has no body.
      asked: asked.split("?").map((part) => new URLSearchParams(part).toString()),
      type: one.body === "" ? null : type,
    }));
  };
  expect(await sent(calls)).toEqual(await sent(eden));
});

test("a body is sent as JSON, and none where none is given", async () => {
  const { data } = await calls.cards({ id: "1" }).comments.post({ text: "so" });
  const sent = { method: "POST", asked: "/cards/1/comments", type: "application/json", body: '{"text":"so"}' };
  expect(data).toEqual(sent);
  const deleted = await calls.cards({ id: "1" }).delete(undefined, { query: { moveTo: "2" } });
  expect(deleted.data).toEqual({ method: "DELETE", asked: "/cards/1?moveTo=2", type: null, body: "" });
});

test.each(["json", "charset", "null", "empty", "refused", "gateway", "moved"])(
  "the answer %p is read as Eden's client reads it",
  async (name) => {
    expect(await read(name)).toEqual(await read(name, eden));
  },
);

test("an answer that refuses is an error, whatever its type; one without content is a success", async () => {
  expect(await read("gateway")).toEqual({ data: null, error: "<h1>Bad gateway</h1>", status: 502 });
  expect(await read("empty")).toEqual({ data: "", error: null, status: 204 });
  expect(await read("capitals")).toEqual({ data: { so: 1 }, error: null, status: 200 });
});

test.each(["page", "untyped", "lines", "cut"])("success that is not Intake's JSON is an error: %p", async (name) => {
  expect(await read(name)).toMatchObject({ data: null, error: expect.any(String), status: 200 });
  expect(await failure(name)).toMatchObject({
    status: 200,
    code: "http_200",
    message:
      "A server in front of Intake answered with a page of its own. Reload this page: you may have to sign in there.",
  });
});

test("what an answer says of its error is shown when it is Intake's, and its status when it is not", async () => {
  expect(await failure("refused")).toMatchObject({ status: 404, code: "not_found", message: "There is none." });
  for (const [name, status] of [
    ["gateway", 502],
    ["proxy", 403],
  ] as const) {
    const message = `A server in front of Intake answered ${status}. Try again.`;
    expect(await failure(name)).toMatchObject({ status, code: `http_${status}`, message });
  }
});

async function failure(name: string): Promise<unknown> {
  return done(calls.answers({ name }).get() as never).catch((error: unknown) => error);
}

test("a call that gets no answer rejects", async () => {
  const { cards } = callsAt("http://127.0.0.1:1") as Calls;
  await expect(cards.get()).rejects.toThrow();
  expect(await done(cards.get() as never).catch((error: unknown) => error)).toMatchObject({
    code: "offline",
    status: 0,
  });
});
