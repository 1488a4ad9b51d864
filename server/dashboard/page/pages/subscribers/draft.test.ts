import { expect, test } from "bun:test";
import { bodyOf, draftOf, isComplete } from "./draft.ts";
import type { Subscriber } from "./subscriber.ts";

const url = "https://hooks.example.org/intake";
const subscriber = {
  ...{ url, name: "crash-triage", host: "hooks.example.org", types: ["agent_run.updated"] },
  ...{ reportTypes: ["crash", "hang"], headers: ["X-Team"] },
} as Subscriber;

test("a new subscriber is told of reports, and lacks an address", () => {
  const draft = draftOf(undefined);
  expect(draft).toMatchObject({ url: "", name: "", types: ["report.received"], reportTypes: "", headers: "" });
  expect(isComplete(draft)).toBe(false);
  expect(isComplete({ ...draft, url: " " })).toBe(false);
  expect(isComplete({ ...draft, url, types: [] })).toBe(false);
  expect(isComplete({ ...draft, url })).toBe(true);
  expect(bodyOf({ ...draft, url: ` ${url} ` })).toMatchObject({
    ...{ url, name: null, types: ["report.received"], reportTypes: [] },
  } as never);
});

test("a form that nobody has touched leaves a subscriber as it is", () => {
  const draft = draftOf(subscriber);
  expect(draft).toMatchObject({
    ...{ url, name: "crash-triage", types: ["agent_run.updated"], reportTypes: "crash, hang", headers: "" },
  });
  const { name, types, reportTypes } = subscriber;
  expect(bodyOf(draft)).toMatchObject({ url, name, types, reportTypes } as never);
  expect(draftOf({ ...subscriber, name: subscriber.host }).name).toBe("");
});

test("lists are read with commas between, headers as they are written, null takes them away", () => {
  const draft = draftOf(subscriber);
  expect(bodyOf({ ...draft, reportTypes: " a,, b " }).reportTypes).toEqual(["a", "b"]);
  expect(bodyOf({ ...draft, headers: "X-Team: crash\n" }).headers).toBe("X-Team: crash\n");
  expect(bodyOf({ ...draft, headers: null }).headers).toBeNull();
});
