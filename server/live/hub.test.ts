import { expect, test } from "bun:test";
import { type Listener, LiveHub } from "./hub.ts";

function listener(role: Listener["role"] = "admin", session = "s1", member = session) {
  const heard: string[] = [];
  const state = { closed: false, full: false };
  const made: Listener = {
    role,
    session,
    member,
    send(text) {
      if (state.full) return false;
      heard.push(text);
      return true;
    },
    close: () => {
      state.closed = true;
    },
  };
  return { made, heard, state };
}

/** Waits until the changes have been sent. */
async function flushed(hub: LiveHub) {
  const { made, heard } = listener();
  hub.add(made, undefined);
  const before = heard.length;
  while (heard.length === before) await Bun.sleep(5);
  hub.remove(made);
}

const factsIn = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "null");
const idIn = (text: string) => /^id: (.*)$/m.exec(text)?.[1] ?? "";

test("facts of one moment come in one message, each thing once", async () => {
  const hub = new LiveHub();
  const { made, heard } = listener();
  hub.add(made, undefined);
  for (const id of ["a", "b", "a"]) hub.tell({ kind: "card", id, in: "board" });
  await flushed(hub);
  expect(heard).toHaveLength(2);
  expect(heard[0]).toContain("event: hello");
  expect(factsIn(heard[1] ?? "")).toEqual([
    { kind: "card", id: "b", in: "board" },
    { kind: "card", id: "a", in: "board" },
  ]);
});

test("what changes places is told in both, in one message", async () => {
  const hub = new LiveHub();
  const { made, heard } = listener();
  hub.add(made, undefined);
  for (const place of ["to", "from", "from"]) hub.tell({ kind: "card", id: "a", in: place });
  await flushed(hub);
  expect(factsIn(heard[1] ?? "")).toEqual([
    { kind: "card", id: "a", in: "to" },
    { kind: "card", id: "a", in: "from" },
  ]);
});

test("one session cannot take the places of all others", () => {
  const hub = new LiveHub();
  const taken = Array.from({ length: 2_000 }, () => hub.add(listener("member", "greedy").made, undefined));
  expect(taken.filter(Boolean).length).toBe(250);
  expect(hub.add(listener("member", "other").made, undefined)).toBe(true);
});

test("one member cannot take the places of all others with many sessions, and gets them back", () => {
  const hub = new LiveHub();
  const asked = Array.from({ length: 2_000 }, (_, i) => listener("member", `session ${i % 9}`, "greedy").made);
  const taken = asked.filter((one) => hub.add(one, undefined));
  expect(taken).toHaveLength(250);
  expect(hub.add(listener("member", "session", "other").made, undefined)).toBe(true);
  for (const one of taken.slice(0, 10)) hub.remove(one);
  // Removed a second time, as happens when a stream breaks and is closed.
  for (const one of taken.slice(0, 10)) hub.remove(one);
  expect(asked.filter((one) => hub.add({ ...one }, undefined))).toHaveLength(10);
});

test("members are not told what only admins may see", async () => {
  const hub = new LiveHub();
  const [member, admin] = [listener("member"), listener("admin")];
  hub.add(member.made, undefined);
  hub.add(admin.made, undefined);
  hub.tell({ kind: "token", id: "t" });
  hub.tell({ kind: "card", id: "c" });
  await flushed(hub);
  expect(factsIn(member.heard[1] ?? "")).toEqual([{ kind: "card", id: "c" }]);
  expect(factsIn(admin.heard[1] ?? "")).toHaveLength(2);
});

test("who comes back is told what was missed, or to look at everything again", async () => {
  const hub = new LiveHub();
  const first = listener();
  hub.add(first.made, undefined);
  hub.tell({ kind: "card", id: "1" });
  await flushed(hub);
  const seen = idIn(first.heard[1] ?? "");
  hub.remove(first.made);
  hub.tell({ kind: "card", id: "2" });
  await flushed(hub);

  const again = listener();
  hub.add(again.made, seen);
  expect(again.heard.join("")).toContain('{"kind":"card","id":"2"}');
  expect(again.heard.join("")).not.toContain('"id":"1"');

  for (const unknown of ["another-1", `${seen.split("-")[0]}-999`, "x", ""]) {
    const late = listener();
    hub.add(late.made, unknown);
    expect(late.heard.join("")).toContain("event: resync");
  }
});

test("what another process has told comes at once, with what waits; after a time without listeners pages load again", () => {
  const hub = new LiveHub();
  const { made, heard } = listener();
  hub.add(made, undefined);
  hub.tell({ kind: "card", id: "1" });
  hub.hear([{ kind: "card", id: "2" }]);
  expect(heard).toHaveLength(2);
  expect(factsIn(heard[1] ?? "")).toHaveLength(2);
  hub.hear([]);
  expect(heard).toHaveLength(2);

  const seen = idIn(heard[1] ?? "");
  hub.remove(made);
  hub.forget();
  const again = listener();
  hub.add(again.made, seen);
  expect(again.heard.join("")).toContain("event: resync");
});

test("more facts than a page could fetch become one resync", async () => {
  const hub = new LiveHub();
  const { made, heard } = listener();
  hub.add(made, undefined);
  for (let i = 0; i < 2_000; i++) hub.tell({ kind: "card", id: String(i) });
  await flushed(hub);
  expect(heard).toHaveLength(2);
  expect(heard[1]).toContain("event: resync");
});

test("a page that does not read is let go, and costs the others nothing", async () => {
  const hub = new LiveHub();
  const [slow, quick] = [listener(), listener()];
  hub.add(slow.made, undefined);
  hub.add(quick.made, undefined);
  slow.state.full = true;
  hub.tell({ kind: "card", id: "c" });
  await flushed(hub);
  expect(slow.state.closed).toBe(true);
  expect(quick.heard).toHaveLength(2);
  expect(hub.listening).toBe(1);
});

test("a session that ended hears nothing more; a stop ends all", () => {
  const hub = new LiveHub();
  const [one, other] = [listener("admin", "one"), listener("admin", "other")];
  hub.add(one.made, undefined);
  hub.add(other.made, undefined);
  hub.endSessions((session) => session === "one");
  expect([one.state.closed, other.state.closed]).toEqual([true, false]);
  hub.close();
  expect(other.state.closed).toBe(true);
  expect(hub.add(listener().made, undefined)).toBe(false);
});
