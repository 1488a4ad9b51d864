import { afterAll, expect, test } from "bun:test";
import { callsAt } from "./calls.ts";

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/broken") return new Response("<h1>Bad gateway</h1>", { status: 502 });
    const type = request.headers.get("content-type");
    return Response.json({ method: request.method, asked: pathname + search, type, body: await request.text() });
  },
});
afterAll(() => server.stop(true));

type Answer = Promise<{ data: unknown; error: { value: unknown } | null; response: Response }>;
interface Calls {
  cards: { get: (options?: object) => Answer } & ((of: { id: string }) => {
    get: (options?: object) => Answer;
    delete: (body?: undefined, options?: object) => Answer;
    comments: { post: (body: object) => Answer };
  });
  broken: { get: () => Answer };
  reports: { delete: { post: (body: object) => Answer } };
}
const calls = callsAt(server.url.origin) as Calls;

test("a call reads the path that its names and parameters make, with the query that is given", async () => {
  const query = { cursor: undefined, text: "a b&c" };
  const { data, error } = await calls.cards({ id: "../x y" }).get({ query });
  expect(data).toEqual({ method: "GET", asked: "/cards/..%2Fx%20y?text=a+b%26c", type: null, body: "" });
  expect(error).toBeNull();
  expect((await calls.cards.get()).data).toMatchObject({ asked: "/cards" });
});

test("a body is sent as JSON, and none where none is given", async () => {
  const { data } = await calls.cards({ id: "1" }).comments.post({ text: "so" });
  const sent = { method: "POST", asked: "/cards/1/comments", type: "application/json", body: '{"text":"so"}' };
  expect(data).toEqual(sent);
  expect((await calls.reports.delete.post({ ids: [] })).data).toMatchObject({
    method: "POST",
    asked: "/reports/delete",
  });
  const deleted = await calls.cards({ id: "1" }).delete(undefined, { query: { moveTo: "2" } });
  expect(deleted.data).toEqual({ method: "DELETE", asked: "/cards/1?moveTo=2", type: null, body: "" });
});

test("an answer that refuses is an error, whatever its type", async () => {
  const { data, error, response } = await calls.broken.get();
  expect([data, error?.value, response.status]).toEqual([null, "<h1>Bad gateway</h1>", 502]);
});

test("a call that gets no answer rejects", async () => {
  const { cards } = callsAt("http://127.0.0.1:1") as Calls;
  await expect(cards.get()).rejects.toThrow();
});
