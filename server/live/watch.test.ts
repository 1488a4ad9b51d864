import { expect, test } from "bun:test";
import type { Context } from "../core/context.ts";
import { type Listener, LiveHub } from "./hub.ts";
import { watchForPages } from "./watch.ts";

function watched() {
  const hub = new LiveHub();
  const outside = { version: 1 };
  const store = { one: async () => ({ role: "member" }), all: async () => [] } as unknown as Context["store"];
  const options = { store, now: () => 0, outsideVersion: () => outside.version, trouble: () => undefined };
  return { hub, outside, ...watchForPages(hub, options) };
}

function listener() {
  const heard: string[] = [];
  const close = () => {};
  const made: Listener = { role: "member", session: "s", member: "m", send: (text) => heard.push(text) > 0, close };
  return { made, heard };
}

test("a page that opens after another process changed the database need not load again", async () => {
  const { hub, outside, work, position } = watched();
  outside.version++;
  const since = position();
  const { made, heard } = listener();
  hub.add(made, since);
  await work.wake();
  expect(heard.join("")).not.toContain("resync");
});

test("a page that was opened before does", async () => {
  const { hub, outside, work, position } = watched();
  const since = position();
  outside.version++;
  position();
  const { made, heard } = listener();
  hub.add(made, since);
  expect(heard.join("")).toContain("event: resync");
  outside.version++;
  position();
  const open = heard.length;
  await work.wake();
  expect(heard.slice(open).join("")).toContain("event: resync");
});
