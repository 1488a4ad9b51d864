import { expect, test } from "bun:test";
import { createApp } from "./app.ts";
import type { Edge } from "./edge.ts";

const edge = {} as Edge;

test("routes that could not be loaded are loaded by the next request, and loaded once", async () => {
  let loads = 0;
  const app = createApp(edge, [], async () => {
    loads++;
    if (loads === 1) throw new Error("cannot be loaded");
    return () => new Response("here");
  });
  const answerOf = async () => (await app.fetch(new Request("http://localhost/page"))).text();
  await expect(answerOf()).rejects.toThrow("cannot be loaded");
  expect(await answerOf()).toBe("here");
  expect(await answerOf()).toBe("here");
  expect(loads).toBe(2);
});
