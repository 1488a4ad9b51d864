import { expect, test } from "bun:test";
import { bodyOf, formValuesOf, isComplete } from "./option-form.ts";
import type { Subscriber } from "./subscriber.ts";

const url = "https://hooks.example.org/intake";
const subscriber = {
  ...{ url, name: "crash-triage", host: "hooks.example.org", types: ["agent_run.updated"] },
  ...{ reportTypes: ["crash", "hang"], headers: ["X-Team"] },
} as Subscriber;

test("a new subscriber is told of reports, and lacks an address", () => {
  const values = formValuesOf(undefined);
  expect(values).toEqual({ url: "", name: "", types: ["report.received"], reportTypes: "", headers: "" });
  expect(isComplete(values)).toBe(false);
  expect(isComplete({ ...values, url: " " })).toBe(false);
  expect(isComplete({ ...values, url, types: [] })).toBe(false);
  expect(isComplete({ ...values, url })).toBe(true);
  expect(bodyOf({ ...values, url: ` ${url} ` })).toEqual({
    ...{ url, name: null, types: ["report.received"], reportTypes: [], headers: undefined },
  } as never);
});

test("a form that nobody has touched leaves a subscriber as it is", () => {
  const values = formValuesOf(subscriber);
  expect(values).toEqual({
    ...{ url, name: "crash-triage", types: ["agent_run.updated"], reportTypes: "crash, hang", headers: "" },
  });
  const { name, types, reportTypes } = subscriber;
  expect(bodyOf(values)).toEqual({ url, name, types, reportTypes, headers: undefined } as never);
  expect(formValuesOf({ ...subscriber, name: subscriber.host }).name).toBe("");
});

test("lists are read with commas between, headers as they are written, null takes them away", () => {
  const values = formValuesOf(subscriber);
  expect(bodyOf({ ...values, reportTypes: " a,, b " }).reportTypes).toEqual(["a", "b"]);
  expect(bodyOf({ ...values, headers: "X-Team: crash\n" }).headers).toBe("X-Team: crash\n");
  expect(bodyOf({ ...values, headers: null }).headers).toBeNull();
});
