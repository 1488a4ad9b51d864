import { afterEach, expect, spyOn, test } from "bun:test";
import { type Breadcrumbs, type BreadcrumbsOptions, breadcrumbs } from "./breadcrumbs.ts";

let trail: Breadcrumbs | undefined;
afterEach(() => trail?.stop());

function recording(options: BreadcrumbsOptions = {}) {
  const made = breadcrumbs(options);
  trail = made;
  const messages = () => made.entries().map((entry) => (entry as { message: string }).message);
  return { ...made, messages };
}

test("the last entries are kept, each a copy with its time", () => {
  const { add, entries, messages } = recording({ max: 3 });
  const data = { items: 1 };
  for (const message of ["1", "2", "3"]) add({ category: "tap", message });
  add({ category: "tap", message: "4", level: "warning", data });
  data.items = 2;
  expect(messages()).toEqual(["2", "3", "4"]);
  expect(entries().at(-1)).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    category: "tap",
    message: "4",
    level: "warning",
    data: { items: 1 },
  });
});

test("an entry is bounded, and one that JSON cannot hold costs nothing", () => {
  const { add, entries, messages } = recording();
  add({ category: "a", message: "x".repeat(5_000), data: "y".repeat(5_000) });
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  add({ category: "a", message: "circle", data: circle });
  add(null as never);
  expect(messages().map(({ length }) => length)).toEqual([1_000, 6]);
  expect(JSON.stringify(entries()).length).toBeLessThan(1_300);
});

test("the console is recorded and still written to, until it is stopped", () => {
  const written: unknown[][] = [];
  const log = spyOn(console, "log").mockImplementation((...given) => void written.push(given));
  const { entries, messages, stop } = recording({ console: true });
  console.log("total", { a: 1 }, new Error("no"));
  expect(messages()).toEqual(['total {"a":1} Error: no']);
  expect(entries()[0]).toMatchObject({ category: "console", level: "info" });
  stop();
  console.log("after");
  expect(written).toHaveLength(2);
  expect(messages()).toHaveLength(1);
  log.mockRestore();
});

test("requests are recorded without what may be secret in their address, and answered as before", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response("hello", { status: url.includes("missing") ? 404 : 200 }),
  });
  const { origin, host } = server.url;
  const platform = globalThis.fetch;
  const { entries, messages, stop } = recording({ fetch: true });
  expect(await (await fetch(`http://me:secret@${host}/cart?token=secret#secret`)).text()).toBe("hello");
  await fetch(new Request(`${origin}/missing`, { method: "POST", body: "secret" }));
  await server.stop(true);
  expect(await fetch(new URL(`${origin}/gone?secret`), { method: "put" }).catch((error) => error)).toBeInstanceOf(
    Error,
  );
  expect(messages().slice(0, 2)).toEqual([`GET ${origin}/cart: 200`, `POST ${origin}/missing: 404`]);
  expect(messages()[2]).toStartWith(`PUT ${origin}/gone: `);
  expect(entries().map((entry) => (entry as { level: string }).level)).toEqual(["info", "warning", "error"]);
  expect(JSON.stringify(entries())).not.toContain("secret");
  stop();
  expect(globalThis.fetch).toBe(platform);
});
