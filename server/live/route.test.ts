import { expect, test } from "bun:test";
import type { Session } from "../core/session.ts";
import type { Edge } from "../http/edge.ts";
import { LiveHub } from "./hub.ts";
import { liveRoutes } from "./route.ts";

const edge = { keepOpen() {}, context: { newId: () => crypto.randomUUID() } } as unknown as Edge;

test("a page of a session that an access proxy began has to ask again, and is told to do so soon; others stay", async () => {
  const hub = new LiveHub();
  const [route] = liveRoutes(edge, hub, 20);
  const opened = async (method: Session["method"]) => {
    const member = { kind: "member", id: crypto.randomUUID(), name: "Ada", role: "member" } as const;
    const session: Session = { id: "s", hash: method ?? "", member, method, passwordAt: 0, mustEnrol: false };
    const call = { request: new Request("http://localhost/internal/live"), session, query: new URLSearchParams() };
    return (await route.handle(call as never)) as Response;
  };
  const stays = await opened("password");
  const ends = await opened("proxy");
  expect(hub.listening).toBe(2);
  const text = await ends.text();
  expect(text).toContain("event: hello");
  expect(text).toEndWith("retry: 200\n\n");
  expect(hub.listening).toBe(1);
  await stays.body?.cancel();
  expect(hub.listening).toBe(0);
});
