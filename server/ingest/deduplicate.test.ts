import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Installation, install } from "../../test/support/installation.ts";
import { sha256 } from "../envelope/sha256.ts";
import { addReceiptStep, deduplicateStep, forgetReceiptsStep, hasReceipt, keepCanonicalStep } from "./deduplicate.ts";
import type { Identity } from "./receipt-binding.ts";
import type { Canonicals } from "./repeat-keys.ts";

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

const now = 1_800_000_000_000;
const windowMilliseconds = 30 * 86_400_000;

/**
 * A report with a project and a report id of its own unless given; words stand for the bytes of which digests are made.
 */
function report(given: {
  project?: string;
  reportId?: string | null;
  envelope?: string;
  attachments?: string[];
}): Identity {
  const { project = "project", reportId = null, envelope = "envelope", attachments = [] } = given;
  return {
    projectId: project,
    reportId,
    digest: sha256(envelope),
    attachments: Buffer.concat(attachments.map(sha256).sort(Buffer.compare)),
  };
}

interface Options {
  at?: number;
  canonicals?: Canonicals;
}

function recognise(identity: Identity, { at = now, canonicals }: Options = {}) {
  const since = at - windowMilliseconds;
  return installation.ctx.store.write((tx) => deduplicateStep(tx, identity, { since, now: at, canonicals }));
}

function add(identity: Identity, eventId: string, { at = now, canonical = null as Uint8Array | null } = {}) {
  const stored = { eventId, deliveryCount: eventId.length, now: at, canonical };
  return installation.ctx.store.write((tx) => addReceiptStep(tx, identity, stored));
}

function repeatOf(eventId: string) {
  return { kind: "repeat" as const, eventId, deliveryCount: eventId.length };
}

function canonicals(ofReport: string, others: Record<string, string> = {}): Canonicals {
  return {
    ofReport: sha256(ofReport),
    others: new Map(Object.entries(others).map(([id, text]) => [id, sha256(text)])),
  };
}

const fresh = { kind: "new", reused: false } as const;
const reused = { kind: "new", reused: true } as const;
const newProject = () => crypto.randomUUID();
const newReportId = () => crypto.randomUUID();

test("without a report id, equal bytes and equal attachments are a repeat; anything else is new", async () => {
  const project = newProject();
  const first = report({ project, attachments: ["a", "b"] });
  expect(await recognise(first)).toEqual(fresh);
  await add(first, "first");
  expect(await recognise(first)).toEqual(repeatOf("first"));
  expect(await recognise(report({ project, attachments: ["b", "a"] }))).toEqual(repeatOf("first"));
  for (const attachments of [[], ["a"], ["a", "a"], ["a", "b", "b"], ["a", "b", "c"], ["a", "c"]]) {
    expect(await recognise(report({ project, attachments }))).toEqual(fresh);
  }
  expect(await recognise(report({ project, envelope: "other", attachments: ["a", "b"] }))).toEqual(fresh);
});

test("without a report id, several reports of one envelope are told apart by their attachments", async () => {
  const project = newProject();
  for (const attachments of [["a"], ["b"], ["a", "b"], []]) {
    const one = report({ project, attachments });
    expect(await recognise(one)).toEqual(fresh);
    await add(one, `with-${attachments.join("")}`);
  }
  expect(await recognise(report({ project, attachments: ["b"] }))).toEqual(repeatOf("with-b"));
  expect(await recognise(report({ project, attachments: ["b", "a"] }))).toEqual(repeatOf("with-ab"));
  expect(await recognise(report({ project }))).toEqual(repeatOf("with-"));
});

test("with a report id, a repeat may have fewer of the attachments, each any number of times", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, attachments: ["a", "b", "c"] }), "first");
  for (const attachments of [[], ["a"], ["c", "a"], ["a", "b", "c"], ["a", "a", "a", "a"], ["b", "b"]]) {
    expect(await recognise(report({ project, reportId, attachments }))).toEqual(repeatOf("first"));
  }
  const equal = canonicals("1", { first: "1" });
  for (const attachments of [["d"], ["a", "b", "c", "d"], ["a", "d"]]) {
    const more = report({ project, reportId, attachments });
    expect(await recognise(more)).toMatchObject({ kind: "compare" });
    expect(await recognise(more, { canonicals: equal })).toEqual(reused);
  }
});

test("a report id is no one's envelope: with and without it are different reports", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId }), "with");
  expect(await recognise(report({ project }))).toEqual(fresh);
  expect(await recognise(report({ project, reportId: newReportId() }))).toEqual(fresh);
});

test("another project with the same report knows nothing of it", async () => {
  const [project, other, reportId] = [newProject(), newProject(), newReportId()];
  await add(report({ project, reportId }), "id");
  await add(report({ project }), "bytes");
  for (const id of [reportId, null]) {
    expect(await recognise(report({ project: other, reportId: id }))).toEqual(fresh);
    await add(report({ project: other, reportId: id }), `other ${id}`);
    expect(await recognise(report({ project: other, reportId: id }))).toEqual(repeatOf(`other ${id}`));
  }
  expect(await recognise(report({ project, reportId }))).toEqual(repeatOf("id"));
});

test("the window begins with the first receipt, and a repeat does not move it", async () => {
  for (const reportId of [null, newReportId()]) {
    const first = report({ project: newProject(), reportId });
    await add(first, "first");
    const last = now + windowMilliseconds - 1;
    expect(await recognise(first, { at: last })).toEqual(repeatOf("first"));
    expect(await recognise(first, { at: last + 1 })).toEqual(fresh);
    // The place of the receipt can be taken again.
    await add(first, "second", { at: last + 1 });
    expect(await recognise(first, { at: last + 1 })).toEqual(repeatOf("second"));
  }
});

test("one that came too long ago is no reuse either", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "old" }), "old");
  await add(report({ project, reportId, envelope: "young" }), "young", { at: now + 1_000 });
  const at = now + windowMilliseconds;
  expect(await recognise(report({ project, reportId, envelope: "old" }), { at })).toEqual({
    kind: "compare",
    eventIds: ["young"],
  });
  expect(await recognise(report({ project, reportId, envelope: "old" }), { at: at + 1_000 })).toEqual(fresh);
});

test("what is expired goes when it is met, and nothing else does", async () => {
  const [project, other, reportId] = [newProject(), newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "old" }), "old");
  await add(report({ project, reportId, envelope: "young" }), "young", { at: now + 1_000 });
  await add(report({ project: other, reportId, envelope: "old" }), "elsewhere");
  await recognise(report({ project, reportId }), { at: now + windowMilliseconds });
  const rows = await installation.ctx.store.all<{ event_id: string }>(
    "select event_id from receipt where project_id in ($1, $2) order by event_id",
    [project, other],
  );
  expect(rows.map(({ event_id }) => event_id)).toEqual(["elsewhere", "young"]);
});

test("other bytes under one report id are compared in canonical form, once", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: '{"a":1,"b":2}' }), "first");
  const again = report({ project, reportId, envelope: '{"b":2,"a":1}' });
  expect(await recognise(again)).toEqual({ kind: "compare", eventIds: ["first"] });
  const same = canonicals("a and b", { first: "a and b" });
  expect(await recognise(again, { canonicals: same })).toEqual(repeatOf("first"));
  // The digest of the first report is stored by now, so only that of the new one is needed.
  expect(await recognise(again)).toEqual({ kind: "compare", eventIds: [] });
  expect(await recognise(again, { canonicals: canonicals("a and b") })).toEqual(repeatOf("first"));
});

test("an envelope that is not equal makes an event of its own, and is recognised from then on", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "one" }), "first");
  const other = report({ project, reportId, envelope: "two" });
  const compared = canonicals("2", { first: "1" });
  expect(await recognise(other, { canonicals: compared })).toEqual(reused);
  await add(other, "second", { canonical: compared.ofReport });
  expect(await recognise(other)).toEqual(repeatOf("second"));
  expect(await recognise(report({ project, reportId, envelope: "one" }))).toEqual(repeatOf("first"));
  const third = report({ project, reportId, envelope: "three" });
  expect(await recognise(third)).toEqual({ kind: "compare", eventIds: [] });
  expect(await recognise(third, { canonicals: canonicals("2") })).toEqual(repeatOf("second"));
  expect(await recognise(third, { canonicals: canonicals("3") })).toEqual(reused);
});

test("all are compared, whatever their attachments, so that the next one finds each by a key", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "one", attachments: ["a"] }), "a");
  await add(report({ project, reportId, envelope: "two", attachments: ["a", "b"] }), "ab");
  const asked = await recognise(report({ project, reportId, envelope: "three", attachments: ["c"] }));
  expect((asked as { eventIds: string[] }).eventIds.sort()).toEqual(["a", "ab"]);
  const compared = canonicals("3", { a: "1", ab: "2" });
  expect(
    await recognise(report({ project, reportId, envelope: "three", attachments: ["c"] }), { canonicals: compared }),
  ).toEqual(reused);
  const two = (...attachments: string[]) => report({ project, reportId, envelope: "two, written anew", attachments });
  expect(await recognise(two("b"))).toEqual({ kind: "compare", eventIds: [] });
  for (const set of [[], ["a"], ["b"], ["b", "a"], ["b", "b"]]) {
    expect(await recognise(two(...set), { canonicals: canonicals("2") })).toEqual(repeatOf("ab"));
  }
  expect(await recognise(two("b", "c"), { canonicals: canonicals("2") })).toEqual(reused);
});

test("of several that it may repeat, a report is a repeat of the first that is within the window", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  const sent = (envelope: string, ...attachments: string[]) => report({ project, reportId, envelope, attachments });
  await add(sent("one", "a", "b"), "first", { at: now, canonical: sha256("1") });
  await add(sent("one", "a", "c"), "second", { at: now + 10, canonical: sha256("1") });
  const again = { canonicals: canonicals("1") };
  expect(await recognise(sent("one, anew", "a"), { ...again, at: now + 20 })).toEqual(repeatOf("first"));
  const late = now + windowMilliseconds + 5;
  expect(await recognise(sent("one, anew", "a"), { ...again, at: late })).toEqual(repeatOf("second"));
  expect(await recognise(sent("one, anew", "b"), { ...again, at: late })).toEqual(reused);
  expect(await recognise(sent("one, anew", "a"), { ...again, at: late + 10 })).toEqual(fresh);
});

test("receipts without keys are given them a few at a time, and those with keys are not read again", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  const count = 30;
  for (let i = 0; i < count; i++) await add(report({ project, reportId, envelope: `${i}` }), `event-${i}`);
  const read = new Map<string, string>();
  const again = report({ project, reportId, envelope: "17, written anew" });
  let recognised = await recognise(again);
  let passes = 0;
  while (recognised.kind === "compare") {
    expect(recognised.eventIds.length).toBeLessThanOrEqual(8);
    for (const id of recognised.eventIds) read.set(id, `canonical ${id}`);
    recognised = await recognise(again, { canonicals: canonicals("canonical event-17", Object.fromEntries(read)) });
    passes++;
  }
  expect([recognised, read.size, passes]).toEqual([repeatOf("event-17"), count, 4]);
  const last = report({ project, reportId, envelope: "29, written anew" });
  expect(await recognise(last)).toEqual({ kind: "compare", eventIds: [] });
  expect(await recognise(last, { canonicals: canonicals("canonical event-29") })).toEqual(repeatOf("event-29"));
});

test("repeat keys are deleted with their receipts", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "one" }), "old", { at: now, canonical: sha256("1") });
  const other = report({ project, reportId, envelope: "two" });
  expect(await recognise(other, { canonicals: canonicals("2") })).toEqual(reused);
  await add(other, "young", { at: now + 10, canonical: sha256("2") });
  const { store } = installation.ctx;
  const tables = ["receipt", "repeat_key", "reused_report_id"];
  const counts = async () => {
    const rows = tables.map((table) => store.all(`select received_at from ${table} where received_at >= ${now}`));
    return (await Promise.all(rows)).map((found) => found.length);
  };
  await store.write(function* (tx) {
    for (const table of tables) yield* tx.run(`delete from ${table} where received_at > $1`, [now + 10]);
  });
  const [receipts = 0, keys = 0, ids = 0] = await counts();
  await store.write((tx) => forgetReceiptsStep(tx, now + 9));
  await store.write((tx) => forgetReceiptsStep(tx, now + 10));
  expect(receipts >= 2 && keys >= 2 && ids >= 1).toBe(true);
  expect(await counts()).toEqual([0, 0, 0]);
});

test("equal envelopes with attachments that do not fit are another report", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "one", attachments: ["a"] }), "first");
  const compared = canonicals("1", { first: "1" });
  const more = report({ project, reportId, envelope: "one, written anew", attachments: ["a", "b"] });
  expect(await recognise(more, { canonicals: compared })).toEqual(reused);
});

test("one that is stored while others are compared is compared in the next pass", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  await add(report({ project, reportId, envelope: "one" }), "first");
  const mine = report({ project, reportId, envelope: "mine" });
  expect(await recognise(mine)).toEqual({ kind: "compare", eventIds: ["first"] });
  await add(report({ project, reportId, envelope: "mine, written anew" }), "twin");
  const once = canonicals("mine", { first: "1" });
  expect(await recognise(mine, { canonicals: once })).toEqual({ kind: "compare", eventIds: ["twin"] });
  expect(await recognise(mine, { canonicals: canonicals("mine", { first: "1", twin: "mine" }) })).toEqual(
    repeatOf("twin"),
  );
});

test("a deleted event's report does not come back", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  const first = report({ project, reportId, envelope: "one", attachments: ["a"] });
  await add(first, "first");
  await installation.ctx.store.write((tx) => keepCanonicalStep(tx, first, "first", sha256("1")));
  const again = report({ project, reportId, envelope: "one, written anew" });
  expect(await recognise(again)).toEqual({ kind: "compare", eventIds: [] });
  expect(await recognise(again, { canonicals: canonicals("1") })).toEqual(repeatOf("first"));
  expect(await recognise(first)).toEqual(repeatOf("first"));
});

test("one that was deleted before it could be compared is equal to nothing but its own bytes", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  const first = report({ project, reportId, envelope: "one" });
  await add(first, "first");
  const gone: Canonicals = { ofReport: sha256("1"), others: new Map([["first", new Uint8Array()]]) };
  expect(await recognise(report({ project, reportId, envelope: "two" }), { canonicals: gone })).toEqual(reused);
  expect(await recognise(first)).toEqual(repeatOf("first"));
});

test("whether a late repeat would be recognised can be asked", async () => {
  const [project, reportId] = [newProject(), newReportId()];
  const { store } = installation.ctx;
  const first = report({ project, reportId });
  expect(await hasReceipt(store, first)).toBe(false);
  await add(first, "first");
  expect(await hasReceipt(store, first)).toBe(true);
  expect(await hasReceipt(store, { ...first, projectId: newProject() })).toBe(false);
  expect(await hasReceipt(store, { ...first, reportId: null })).toBe(false);
});

/** Does what storing a report does: looks for a repeat and adds a new report, in one transaction. */
async function receive(identity: Identity, eventId: string, canonicals?: Canonicals) {
  const stored = { eventId, deliveryCount: eventId.length, now, canonical: canonicals?.ofReport ?? null };
  return installation.ctx.store.write(function* (tx) {
    const recognised = yield* deduplicateStep(tx, identity, { since: now - windowMilliseconds, now, canonicals });
    if (recognised.kind === "new") yield* addReceiptStep(tx, identity, stored);
    return recognised;
  });
}

test("of a hundred at once, one is new", async () => {
  for (const reportId of [null, newReportId()]) {
    const one = report({ project: newProject(), reportId, attachments: ["a"] });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => receive(one, `event-${i}`)));
    const [first] = answers.flatMap(({ kind }, i) => (kind === "new" ? [`event-${i}`] : []));
    expect(answers.filter(({ kind }) => kind === "new")).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === "repeat")).toEqual(Array(99).fill(repeatOf(first as string)));
  }
});

test("an app that gives every report the same id loses none, and every repeat is still recognised", async () => {
  const [project, reportId] = [newProject(), "00000000-0000-0000-0000-000000000000"];
  const count = 120;
  const reports = Array.from({ length: count }, (_, i) => report({ project, reportId, envelope: `${i}` }));
  for (const [i, one] of reports.entries()) {
    // The envelope was compared with every earlier one and equals none.
    const compared = canonicals(`canonical ${i}`);
    expect(await receive(one, `event-${i}`, compared)).toEqual(i === 0 ? fresh : reused);
  }
  for (const [i, one] of reports.entries()) {
    expect(await receive(one, `again-${i}`, canonicals(`canonical ${i}`))).toEqual(repeatOf(`event-${i}`));
  }
});

test("nor does an app whose reports differ in their attachments alone", async () => {
  const project = newProject();
  const reports = Array.from({ length: 120 }, (_, i) => report({ project, attachments: [`${i}`] }));
  for (const [i, one] of reports.entries()) expect(await receive(one, `event-${i}`)).toEqual(fresh);
  for (const [i, one] of reports.entries()) expect(await receive(one, `again-${i}`)).toEqual(repeatOf(`event-${i}`));
});
