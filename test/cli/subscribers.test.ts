import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { withDefaults } from "../../server/core/fields.ts";
import type { CreatedOrganisation } from "../../server/organisation/create-organisation.ts";
import type { ListedDelivery } from "../../server/webhooks/deliveries/list-deliveries.ts";
import type { ListedSubscriber } from "../../server/webhooks/subscribers/list-subscribers.ts";
import { subscriberFields } from "../../server/webhooks/subscribers/subscriber-fields.ts";
import type { TestResult } from "../../server/webhooks/subscribers/test-subscriber.ts";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { faultsFound } from "../support/doctor.ts";
import { messageFaults } from "../support/documented.ts";
import { envelope, received } from "../support/ingest.ts";
import { type DataFolder, newDataFolder } from "../support/installation.ts";
import { answering, type ReceivedRequest, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

interface Added {
  id: string;
  secret: string;
}
interface Page<T> {
  items: T[];
  next: string | null;
}

const absent = "0198c0de-0000-7000-8000-00000000dead";
const allowed = { INTAKE_WEBHOOK_ALLOW: "127.0.0.0/8" };
let data: DataFolder;
let folder: string;
let made: CreatedOrganisation;
let server: RunningBinary;
let receiver: Receiver;

const intake = <T>(...args: string[]) => runJson<T>([...args, "--data", folder], { env: allowed });
const ends = async (args: string[], env: Record<string, string> = allowed) => {
  const { code, stdout, stderr } = await run([...args, "--data", folder], { env });
  return { code, stdout, lines: stderr.trimEnd().split("\n") };
};
const start = () => serve(folder, ["--rate-limits", "off"], { env: { ...allowed, INTAKE_WEBHOOK_SCHEDULE: "0" } });

/** A subscriber of a project of its own, with a key to send reports with. */
async function newSubscriber(...args: string[]) {
  const project = await intake<{ id: string }>("project", "create", "--name", "Project");
  const { key } = await intake<{ key: string }>("key", "create", "--project", project.id, "--name", "App");
  const added = await intake<Added>("subscriber", "add", "--project", project.id, "--url", receiver.url(), ...args);
  return { ...added, projectId: project.id, key };
}

const report = (key: string, value: object = {}) =>
  received(
    { send: (path, init) => fetch(server.url + path, init) },
    { key, parts: [envelope({ reportId: crypto.randomUUID(), ...value })] },
  );
const viewOf = async (id: string) => {
  const { items } = await intake<Page<ListedSubscriber>>("subscriber", "list", "--limit", "200");
  return items.find((one) => one.id === id);
};
const deliveriesOf = async (id: string) =>
  (await intake<Page<ListedDelivery>>("subscriber", "deliveries", id, "--limit", "200")).items;
/** Waits until the deliveries, newest first, have come to this. */
const untilStates = (id: string, ...states: ListedDelivery["state"][]) =>
  until(async () => {
    const items = await deliveriesOf(id);
    return items.map(({ state }) => state).join() === states.join() ? items : undefined;
  });

/** Whether one of the signatures is this secret's, told by hand. */
function isSignedWith(secret: string, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  return headers.get("webhook-signature")?.split(" ").includes(signature) ?? false;
}

function newest(): ReceivedRequest {
  const request = receiver.requests.at(-1);
  if (!request) throw new Error("nothing has come");
  return request;
}

beforeAll(async () => {
  data = await newDataFolder();
  folder = data.folder;
  receiver = await Receiver.listen();
  made = await runJson(["init", "--data", folder, "--org", "Example", "--admin-email", "admin@example.org"]);
  server = await start();
});
beforeEach(() => {
  receiver.behave = answering("200 OK", [], "thanks");
});
afterAll(async () => {
  await server.stop();
  await receiver.close();
  await data.remove();
});

describe("a subscriber, beside a live server", () => {
  test("is told of the next report, signed with the secret that was shown once", async () => {
    const { id, secret, projectId, key } = await newSubscriber();
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const { name: _, ...fields } = withDefaults(subscriberFields, { url: receiver.url() });
    expect(await viewOf(id)).toEqual({
      id,
      projectId,
      ...fields,
      headers: [],
      state: "active",
      reason: null,
      failures: 0,
      failingSince: null,
      lastSuccessAt: null,
      waiting: 0,
      previousUntil: null,
      createdAt: expect.any(String),
    });
    const { eventId, deliveryCount } = await report(key, { title: "Told" });
    expect(deliveryCount).toBe(1);
    const [delivery] = await untilStates(id, "delivered");
    expect(delivery).toEqual({
      id: expect.any(String),
      eventId,
      state: "delivered",
      createdAt: expect.any(String),
      attempts: [{ at: expect.any(String), status: 200, ms: expect.any(Number), answer: "thanks" }],
    });
    expect(newest().headers.get("webhook-id")).toBe(eventId);
    expect(isSignedWith(secret, newest())).toBe(true);
    expect((await viewOf(id))?.lastSuccessAt).toBeString();
  });

  test("only wants the types of reports that it names, of its project or of all", async () => {
    const { key } = await newSubscriber("--report-type", "crash", "--report-type", "hang");
    const everywhere = await intake<Added>("subscriber", "add", "--all-projects", "--url", receiver.url());
    const counts: number[] = [];
    for (const type of ["crash", "feedback", "hang", undefined]) {
      counts.push((await report(key, type === undefined ? {} : { type })).deliveryCount);
    }
    await intake("subscriber", "remove", everywhere.id);
    counts.push((await report(key, { type: "crash" })).deliveryCount);
    expect(counts).toEqual([2, 1, 2, 1, 1]);
  });

  test("paused, what is for it is counted and waits; resumed, it comes", async () => {
    const { id, key } = await newSubscriber();
    await intake("subscriber", "pause", id);
    const { eventId, deliveryCount } = await report(key);
    expect(deliveryCount).toBe(1);
    expect(await ends(["subscriber", "pause", id])).toMatchObject({ code: 1 });
    expect(await ends(["subscriber", "enable", id])).toMatchObject({ code: 1 });
    expect(await deliveriesOf(id)).toMatchObject([{ eventId, state: "waiting", attempts: [] }]);
    expect(await viewOf(id)).toMatchObject({ state: "paused", waiting: 1 });
    await intake("subscriber", "resume", id);
    await untilStates(id, "delivered");
    expect(await ends(["subscriber", "resume", id])).toMatchObject({ code: 1 });
  });

  test("that answers 410 is disabled and counted no more; enabled, it begins anew", async () => {
    const { id, key } = await newSubscriber();
    receiver.behave = answering("410 Gone", [], "");
    await report(key);
    await until(async () => (await viewOf(id))?.state === "disabled" || undefined);
    expect(await viewOf(id)).toMatchObject({ reason: "answered 410 Gone", failures: 1 });
    expect((await report(key)).deliveryCount).toBe(0);
    expect(await ends(["subscriber", "resume", id])).toMatchObject({ code: 1 });
    await intake("subscriber", "enable", id);
    expect(await viewOf(id)).toMatchObject({ state: "active", reason: null, failures: 0, failingSince: null });
    receiver.behave = answering("200 OK", [], "");
    expect((await report(key)).deliveryCount).toBe(1);
  });

  test("updated, the next report goes where it says, with what it says", async () => {
    const { id, key } = await newSubscriber("--report-type", "crash");
    expect((await report(key, { type: "hang" })).deliveryCount).toBe(0);
    const file = `${folder}/update-headers.txt`;
    writeFileSync(file, "X-Team: crash\n");
    const url = `${receiver.url()}/v2?x=1`;
    const updating = ["--url", url, "--all-report-types", "--header-file", file];
    expect(await intake<unknown>("subscriber", "update", id, ...updating)).toEqual({ id });
    expect(await viewOf(id)).toMatchObject({ url, reportTypes: [], headers: ["X-Team"], types: ["report.received"] });
    await report(key, { type: "hang" });
    await untilStates(id, "delivered");
    expect([newest().line, newest().headers.get("x-team")]).toEqual(["POST /hook/v2?x=1 HTTP/1.1", "crash"]);
    await intake("subscriber", "update", id, "--no-headers", "--report-type", "crash");
    expect(await viewOf(id)).toMatchObject({ url, reportTypes: ["crash"], headers: [] });
  });

  test("removed, it goes with its deliveries", async () => {
    const { id, key } = await newSubscriber();
    await report(key);
    await untilStates(id, "delivered");
    expect(await intake<unknown>("subscriber", "remove", id)).toEqual({ id });
    expect(await viewOf(id)).toBeUndefined();
    expect(await ends(["subscriber", "deliveries", id])).toMatchObject({ code: 1 });
    expect((await report(key)).deliveryCount).toBe(0);
    expect(await faultsFound(folder)).toEqual([]);
  });

  test("goes with its project", async () => {
    const { id, projectId, key } = await newSubscriber();
    await report(key);
    await intake("project", "delete", projectId, "--yes");
    expect(await viewOf(id)).toBeUndefined();
    expect(await faultsFound(folder)).toEqual([]);
  });

  test("lists page by cursor without gap or repeat", async () => {
    const { id, projectId, key } = await newSubscriber();
    const ids = [id];
    for (let n = 0; n < 4; n++) {
      ids.push((await intake<Added>("subscriber", "add", "--project", projectId, "--url", receiver.url())).id);
    }
    const all = await paged<ListedSubscriber>("subscriber", "list", "--project", projectId, "--limit", "2");
    expect(all.map((one) => one.id)).toEqual(ids);
    const events: string[] = [];
    for (let n = 0; n < 5; n++) events.push((await report(key)).eventId);
    await untilStates(id, "delivered", "delivered", "delivered", "delivered", "delivered");
    const deliveries = await paged<ListedDelivery>("subscriber", "deliveries", id, "--limit", "2");
    expect(deliveries.map(({ eventId }) => eventId)).toEqual(events.toReversed());
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("for people: one line a delivery, with how the last attempt went", async () => {
    const { id, key } = await newSubscriber();
    receiver.behave = answering("500 Oh", [], "a long answer");
    const { eventId } = await report(key);
    await untilStates(id, "dead");
    const { stdout } = await ends(["subscriber", "deliveries", id]);
    expect(stdout).toMatch(new RegExp(`${eventId} .* dead .* 1 +500 status\n$`));
    expect(stdout).not.toContain("a long answer");
  });
});

describe("subscriber test", () => {
  test("sends one signed message at once, with the subscriber's own headers, and stores nothing", async () => {
    const file = `${folder}/headers.txt`;
    writeFileSync(file, "Authorization: Bearer own-secret\nX-Team: crash\n");
    const { id, secret } = await newSubscriber("--header-file", file);
    await intake("subscriber", "pause", id);
    receiver.behave = answering("202 Accepted", ["x-answered: yes"], "have it");
    const { code, stdout } = await ends(["subscriber", "test", id, "--json"]);
    const result = JSON.parse(stdout) as TestResult;
    const sent = newest();
    expect(code).toBe(0);
    expect(result).toEqual({
      accepted: true,
      status: 202,
      ms: expect.any(Number),
      headers: { "content-length": "7", "x-answered": "yes" },
      sent: {
        "webhook-id": sent.headers.get("webhook-id") ?? "",
        "webhook-timestamp": sent.headers.get("webhook-timestamp") ?? "",
        "webhook-signature": sent.headers.get("webhook-signature") ?? "",
      },
      answer: "have it",
    });
    const message = JSON.parse(String(sent.body));
    expect(message).toEqual({ type: "webhook.test", timestamp: expect.any(String), data: { subscriberId: id } });
    expect(messageFaults("webhook.test", message)).toEqual([]);
    expect(isSignedWith(secret, sent)).toBe(true);
    expect([sent.headers.get("authorization"), sent.headers.get("x-team")]).toEqual(["Bearer own-secret", "crash"]);
    expect((await viewOf(id))?.headers).toEqual(["Authorization", "X-Team"]);
    expect(await deliveriesOf(id)).toEqual([]);
  });

  test("after a rotation both secrets sign", async () => {
    const { id, secret } = await newSubscriber();
    const before = Date.now();
    const rotated = await intake<Added & { previousUntil: string }>("subscriber", "rotate-secret", id);
    const hours = (Date.parse(rotated.previousUntil) - before) / 3_600_000;
    expect([rotated.id, hours >= 24, hours < 24.1]).toEqual([id, true, true]);
    expect((await viewOf(id))?.previousUntil).toBe(rotated.previousUntil);
    await intake("subscriber", "test", id);
    expect([isSignedWith(secret, newest()), isSignedWith(rotated.secret, newest())]).toEqual([true, true]);
    const again = await intake<Added>("subscriber", "rotate-secret", id);
    await intake("subscriber", "test", id);
    const signed = [secret, rotated.secret, again.secret].map((one) => isSignedWith(one, newest()));
    expect(signed).toEqual([false, true, true]);
  });

  test("what is not accepted is exit 1, says why, and is no failure of the subscriber", async () => {
    const { id } = await newSubscriber();
    const tried = async (env: Record<string, string> = allowed) => {
      const { code, stdout } = await ends(["subscriber", "test", id, "--json"], env);
      return { code, result: JSON.parse(stdout) as TestResult };
    };
    receiver.behave = answering("500 Oh", [], "no");
    expect(await tried()).toMatchObject({ code: 1, result: { status: 500, error: "status", answer: "no" } });
    receiver.behave = (socket) => socket.destroy();
    expect(await tried()).toMatchObject({ code: 1, result: { accepted: false, error: "connection" } });
    expect(await tried({})).toMatchObject({ code: 1, result: { accepted: false, error: "bad_url" } });
    expect(await viewOf(id)).toMatchObject({ state: "active", failures: 0 });
  });
});

describe("subscriber replay", () => {
  test("one delivery: the same message comes again", async () => {
    const { id, key } = await newSubscriber();
    receiver.behave = answering("500 Oh", [], "");
    const { eventId } = await report(key);
    const [dead] = await untilStates(id, "dead");
    const first = newest();
    receiver.behave = answering("200 OK", [], "");
    expect(await intake<unknown>("subscriber", "replay", id, "--delivery", dead?.id ?? "")).toEqual({ replayed: 1 });
    const [delivered] = await untilStates(id, "delivered");
    expect(delivered).toMatchObject({ id: dead?.id, eventId, attempts: [{ status: 500 }, { status: 200 }] });
    expect(newest().headers.get("webhook-id")).toBe(eventId);
    expect(newest().body.equals(first.body)).toBe(true);
  });

  test("all that were given up since a time, and a deleted report's no more", async () => {
    const { id, key } = await newSubscriber();
    receiver.behave = answering("500 Oh", [], "");
    const early = await report(key);
    await untilStates(id, "dead");
    const since = new Date().toISOString();
    const [kept, deleted] = [await report(key), await report(key)];
    const dead = await untilStates(id, "dead", "dead", "dead");
    await intake("event", "delete", deleted.eventId);
    receiver.behave = answering("200 OK", [], "");
    const gone = dead.find(({ eventId }) => eventId === deleted.eventId);
    expect(await ends(["subscriber", "replay", id, "--delivery", gone?.id ?? ""])).toMatchObject({ code: 1 });
    expect(await intake<unknown>("subscriber", "replay", id, "--since", since)).toEqual({ replayed: 1 });
    const left = await untilStates(id, "delivered", "dead");
    expect(left.map(({ eventId }) => eventId)).toEqual([kept.eventId, early.eventId]);
    expect(await intake<unknown>("subscriber", "replay", id, "--since", "2026-01-01")).toEqual({ replayed: 1 });
    await untilStates(id, "delivered", "delivered");
  });
});

describe("addresses that are refused: exit 1, one line, nothing added", () => {
  const refused: [string, string, Record<string, string>, RegExp][] = [
    ["a name that does not resolve", "https://receiver.invalid/hook", allowed, /could not be resolved/],
    ["a private address", "https://10.0.0.1/hook", allowed, /public/],
    ["loopback that is not allowed", "https://127.0.0.1/hook", {}, /public/],
    ["a name that leads to loopback", "https://localhost/hook", {}, /public/],
    ["http where it is not allowed", "http://127.0.0.1/hook", {}, /https/],
    ["http to elsewhere", "http://192.0.2.1/hook", allowed, /public|https/],
    ["a user in it", "https://user:word@127.0.0.1/hook", allowed, /user name or password/],
    ["another scheme", "ftp://127.0.0.1/hook", allowed, /https/],
  ];
  test.each(refused)("%s", async (_name, url, env, says) => {
    const before = (await intake<Page<ListedSubscriber>>("subscriber", "list", "--limit", "200")).items.length;
    const { code, stdout, lines } = await ends(["subscriber", "add", "--project", made.project.id, "--url", url], env);
    expect([code, stdout, lines.length]).toEqual([1, "", 1]);
    expect(lines[0]).toMatch(says);
    expect(lines[0]).not.toContain("word@");
    expect((await intake<Page<ListedSubscriber>>("subscriber", "list", "--limit", "200")).items.length).toBe(before);
  });

  test("--webhook-allow says the same as the environment", async () => {
    const args = ["subscriber", "add", "--project", made.project.id, "--url", receiver.url()];
    expect((await ends([...args, "--webhook-allow", "10.0.0.0/8,127.0.0.1"], {})).code).toBe(0);
    expect((await ends([...args, "--webhook-allow", "10.0.0.0/8"], {})).code).toBe(1);
  });
});

describe("typed wrongly: exit 2, one line, nothing changed", () => {
  const project = ["--project", absent];
  const url = ["--url", "https://hooks.example.org/"];
  const wrong: [string, string[]][] = [
    ["no address", ["add", ...project]],
    ["an address that is no URL", ["add", ...project, "--url", "hooks.example.org"]],
    ["an update to no URL", ["update", absent, "--url", "https://exa%20mple.org/"]],
    ["no project", ["add", ...url]],
    ["a project and all", ["add", ...project, "--all-projects", ...url]],
    ["a project that is no UUID", ["add", "--project", "shop", ...url]],
    ["an unknown type", ["add", ...project, ...url, "--type", "webhook.test"]],
    ["an empty type of reports", ["add", ...project, ...url, "--report-type", ""]],
    ["a range that is none", ["add", ...project, ...url, "--webhook-allow", "example.org"]],
    ["a header file that is absent", ["add", ...project, ...url, "--header-file", "/nonexistent"]],
    ["a header file without a header", ["add", ...project, ...url, "--header-file", "/dev/null"]],
    ["a header that is ours", ["add", ...project, ...url, "--header-file", "HEADERS"]],
    ["an update of nothing", ["update", absent]],
    ["an update without ID", ["update", ...url]],
    ["types of reports and all of them", ["update", absent, "--report-type", "crash", "--all-report-types"]],
    ["headers and none", ["update", absent, "--header-file", "FINE", "--no-headers"]],
    ["pause without ID", ["pause"]],
    ["enable of no UUID", ["enable", "1"]],
    ["a secret as a word", ["rotate-secret", absent, "whsec_secret"]],
    ["certificates that are none", ["test", absent, "--webhook-ca", "/dev/null"]],
    ["a page above 200", ["deliveries", absent, "--limit", "201"]],
    ["a forged cursor", ["list", "--cursor", "nonsense"]],
    ["a replay of nothing", ["replay", absent]],
    ["a replay of two things", ["replay", absent, "--delivery", absent, "--since", "2026-05-01"]],
    ["a replay since no time", ["replay", absent, "--since", "yesterday"]],
    ["forgetting without --yes", ["forget-secrets"]],
  ];
  test.each(wrong)("%s", async (_name, args) => {
    const headers = `${folder}/ours.txt`;
    writeFileSync(headers, "Host: secret-host\n");
    const fine = `${folder}/fine.txt`;
    writeFileSync(fine, "X-Team: crash\n");
    const words = args.map((arg) => (arg === "HEADERS" ? headers : arg === "FINE" ? fine : arg));
    const { code, stdout, lines } = await ends(["subscriber", ...words]);
    expect({ code, stdout, lines: lines.length }).toEqual({ code: 2, stdout: "", lines: 1 });
    expect(lines[0]).toStartWith("intake: ");
    expect(lines[0]).not.toContain("secret-host");
  });

  test("an unknown ID is exit 1 with one line for every command that takes one", async () => {
    for (const args of [
      ["add", "--project", absent, "--url", receiver.url()],
      ["update", absent, "--url", receiver.url()],
      ...["pause", "resume", "enable", "remove", "rotate-secret", "test", "deliveries"].map((verb) => [verb, absent]),
      ["replay", absent, "--delivery", absent],
      ["replay", absent, "--since", "2026-05-01"],
    ]) {
      const { code, stdout, lines } = await ends(["subscriber", ...args]);
      expect([args.join(" "), code, stdout, lines.length]).toEqual([args.join(" "), 1, "", 1]);
    }
  });
});

test("every change is in the audit log, as the command line's", async () => {
  const items = await paged<Record<string, unknown>>("audit", "list", "--limit", "200");
  const actions = items.filter(({ actor }) => actor === "command line").map(({ action }) => action);
  for (const verb of ["add", "update", "pause", "resume", "enable", "remove", "rotate_secret", "replay"]) {
    expect(actions).toContain(`subscriber.${verb}`);
  }
});

describe("secret.key", () => {
  test("lost, what needs it says so and forget-secrets makes another, once nobody serves", async () => {
    const { id } = await newSubscriber();
    const busy = await ends(["subscriber", "forget-secrets", "--yes"]);
    expect(busy).toMatchObject({ code: 1, lines: [expect.stringContaining(String(server.pid))] });
    await server.stop();
    renameSync(`${folder}/secret.key`, `${folder}/elsewhere`);
    for (const args of [
      ["add", "--project", made.project.id, "--url", receiver.url()],
      ["rotate-secret", id],
      ["test", id],
    ]) {
      const { code, stdout, lines } = await ends(["subscriber", ...args]);
      expect([code, stdout, lines.length]).toEqual([1, "", 1]);
      expect(lines[0]).toContain("forget-secrets");
    }
    // What does not need it goes on.
    expect(await viewOf(id)).toMatchObject({ state: "active" });
    const forgotten = await intake<{ disabled: number }>("subscriber", "forget-secrets", "--yes");
    const all = await paged<ListedSubscriber>("subscriber", "list", "--limit", "200");
    expect(all.map(({ state }) => state)).toEqual(Array(forgotten.disabled).fill("disabled"));
    expect(await ends(["subscriber", "enable", id])).toMatchObject({ code: 1 });
    expect(await ends(["subscriber", "test", id])).toMatchObject({ code: 1, stdout: "" });
    const { secret } = await intake<Added>("subscriber", "rotate-secret", id);
    await intake("subscriber", "enable", id);
    await intake("subscriber", "test", id);
    expect(isSignedWith(secret, newest())).toBe(true);
    server = await start();
  });
});

/** Every item of a list, page by page. */
async function paged<T>(...args: string[]): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Page<T> = await intake(...args, ...(cursor ? ["--cursor", cursor] : []));
    items.push(...page.items);
    cursor = page.next;
  }
  return items;
}
