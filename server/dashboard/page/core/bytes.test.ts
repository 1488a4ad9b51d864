import { afterAll, expect, test } from "bun:test";
import { readStored } from "./bytes.ts";

const html = { "content-type": "text/html" };
const server = Bun.serve({
  port: 0,
  routes: {
    "/file": new Response("<p>stored</p>", { headers: { ...html, "content-disposition": "attachment" } }),
    "/gone": Response.json({ error: "not_found", message: "there is nothing here" }, { status: 404 }),
    "/page": new Response("<h1>Sign in</h1>", { headers: html }),
    "/gateway": new Response("<h1>Bad gateway</h1>", { status: 502, headers: html }),
  },
});
afterAll(() => server.stop(true));

const failure = (address: string) => readStored(address).catch((error: unknown) => error);

test("a stored file is read as text, and a failure is told as that of any call", async () => {
  expect(await readStored(`${server.url}file`)).toBe("<p>stored</p>");
  expect(await failure(`${server.url}gone`)).toMatchObject({ code: "not_found", message: "There is nothing here." });
  expect(await failure(`${server.url}gateway`)).toMatchObject({
    status: 502,
    message: expect.stringContaining("answered 502"),
  });
  expect(await failure("http://127.0.0.1:1")).toMatchObject({ status: 0, code: "offline" });
});

test("a proxy's page to sign in is not taken for the file", async () => {
  expect(await failure(`${server.url}page`)).toMatchObject({
    status: 200,
    message: expect.stringContaining("a page of its own"),
  });
});
