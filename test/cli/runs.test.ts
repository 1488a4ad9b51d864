import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { IntakeRunner } from "../../client/src/runner.ts";
import { type RunningBinary, run, runJson, serve } from "../support/binary.ts";
import { type Installation, install } from "../support/installation.ts";
import { assignTicket, openWorkshop } from "../support/runner.ts";

setDefaultTimeout(180_000);

interface Page<T> {
  items: T[];
  next: string | null;
}
type Entry = Record<string, unknown>;

let installation: Installation;
let server: RunningBinary;
let runner: IntakeRunner;

const intake = <T = Entry>(...args: string[]) => runJson<T>([...args, "--data", installation.folder]);
/** As people see it. */
const told = (...args: string[]) => run([...args, "--data", installation.folder]);

beforeAll(async () => {
  installation = await install();
  server = await serve(installation.folder);
  const { tokenFile } = await openWorkshop(installation);
  runner = new IntakeRunner({ url: server.url, token: (await Bun.file(tokenFile).text()).trim() });
});
afterAll(async () => {
  await server.stop();
  await installation.remove();
});

async function claim() {
  const run = await runner.claim({ runner: { name: "Bench", version: "1", labels: [] }, waitSeconds: 10 });
  if (!run) throw new Error("no run was queued");
  return run;
}

describe("credits", () => {
  test("before the first grant they are counted, and not limited", async () => {
    expect(await intake("credits", "balance")).toEqual({ balance: null, held: 0, used: 0 });
    expect((await told("credits", "balance")).stdout).toBe(
      "left: not limited: nobody has granted any\nheld: 0\nused: 0\n",
    );
    await assignTicket(server.url, installation, { title: "Counted" });
    const counted = await claim();
    expect(counted.creditsHeld).toBe(null);
    const result = { outcome: "succeeded", creditsUsed: 5 } as const;
    await counted.complete(result);
    await counted.complete(result);
    expect((await told("credits", "balance")).stdout).toBe(
      "left: not limited: nobody has granted any\nheld: 0\nused: 5\n",
    );
    expect((await told("credits", "ledger")).stdout).toBe("none\n");
  });

  test("granted, held by a run, used, taken back: the ledger tells it all", async () => {
    await assignTicket(server.url, installation, { title: "Claimed before the first grant" });
    const early = await claim();
    expect(await intake("credits", "grant", "--amount", "30", "--note", "December")).toEqual({ balance: 30 });
    await early.complete({ outcome: "succeeded", creditsUsed: 2 });
    await assignTicket(server.url, installation, { title: "Costs" });
    const held = await claim();
    expect(await intake("credits", "balance")).toEqual({ balance: 20, held: 10, used: 7 });
    await held.complete({ outcome: "succeeded", creditsUsed: 3 });
    expect(await intake("credits", "grant", "--amount=-7")).toEqual({ balance: 20 });
    expect((await told("credits", "balance")).stdout).toBe("left: 20\nheld: 0\nused: 10\n");
    const { items } = await intake<Page<Entry>>("credits", "ledger");
    expect(items.map(({ kind, amount, balance }) => [kind, amount, balance])).toEqual([
      ["adjust", -7, 20],
      ["settle", -3, 27],
      ["release", 10, 30],
      ["hold", -10, 20],
      ["grant", 30, 30],
    ]);
    expect(items.at(-1)).toMatchObject({ note: "December" });
    expect(items.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(20);
    const first = await intake<Page<Entry>>("credits", "ledger", "--limit", "2");
    const rest = await intake<Page<Entry>>("credits", "ledger", "--cursor", first.next ?? "");
    expect([...first.items, ...rest.items]).toEqual(items);
    const { stdout, stderr } = await told("credits", "ledger", "--limit", "1");
    expect(stdout).toMatch(/^at +kind +amount +balance +actor +runId +attempt +note\n\S+ +adjust +-7 +20 /);
    expect(stderr).toStartWith("more: --cursor ");
  });

  test("what a run of a repository is held for can be set; runs that wait are looked at again", async () => {
    const { items } = await intake<Page<{ id: string }>>("repository", "list");
    const id = items[0]?.id ?? "";
    expect(await intake("repository", "update", id, "--run-credits", "3")).toEqual({ id, runCredits: 3 });
    await assignTicket(server.url, installation, { title: "Held for three" });
    const run = await claim();
    expect(run.run.creditsHeld).toBe(3);
    await run.complete({ outcome: "succeeded", creditsUsed: 0 });
    await intake("repository", "update", id, "--run-credits", "10");
    const refused = await told("repository", "update", id, "--run-credits", "-1");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
  });

  test("more credits than are left cannot be taken back", async () => {
    expect(await told("credits", "grant", "--amount=-21")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("fewer credits left"),
    });
    expect(await intake("credits", "balance")).toMatchObject({ balance: 20 });
  });

  test.each([["0"], ["1.5"], ["1e3"], ["1000001"], ["-1000001"], ["ten"], [""]])(
    "an amount of %p is refused",
    async (amount) => {
      const { code, stderr } = await told("credits", "grant", `--amount=${amount}`);
      expect(code).toBe(2);
      expect(stderr).toContain("whole number");
    },
  );
});

describe("runs", () => {
  test("list, show and log, as JSON and for people", async () => {
    const { runId, ticketId } = await assignTicket(server.url, installation, { title: "Look\u202eed at" });
    const listed = await intake<Page<Entry>>("run", "list", "--state", "live");
    expect(listed.items).toMatchObject([{ id: runId, state: "queued", ticketId, title: "Look\u202eed at" }]);
    const held = await claim();
    await held.heartbeat({ progress: "Thinking", creditsUsed: 1 });
    await held.appendLog("first\tline\n\u001b[31mred\u001b[0m\u009b2J\u202e\nlast");
    expect(await intake("run", "show", runId)).toMatchObject({
      id: runId,
      state: "running",
      attempt: 1,
      card: { id: ticketId },
      branch: `agent/${ticketId}-${runId}`,
    });
    expect((await told("run", "list")).stdout).toMatch(
      new RegExp(`${runId} +running +- +1 +\\S+ +${ticketId} +Look\\[U\\+202E\\]ed at`),
    );
    expect((await told("run", "show", runId)).stdout).toContain("state: running\n");
    expect((await told("run", "log", runId)).stdout).toBe("first\tline\nred\ufffd2J[U+202E]\nlast");
    const { stdout } = await told("run", "log", runId, "--json");
    expect(stdout).toBe('"first\\tline\\n\\u001b[31mred\\u001b[0m\\u009b2J\\u202e\\nlast"\n');
    await held.complete({ outcome: "failed", creditsUsed: 1, summary: "No." });
    expect((await intake<Page<Entry>>("run", "list", "--state", "ended")).items).toContainEqual(
      expect.objectContaining({ id: runId, state: "failed" }),
    );
    expect((await intake<Page<Entry>>("run", "list", "--state", "live")).items).toEqual([]);
  });

  test("cancel ends a run at once, and whoever executes it is told; retry queues a new one", async () => {
    const { runId } = await assignTicket(server.url, installation, { title: "Never mind" });
    const held = await claim();
    expect(await intake("run", "cancel", runId)).toEqual({ id: runId });
    expect(await intake("run", "show", runId)).toMatchObject({ state: "cancelled" });
    expect(await held.heartbeat()).toMatchObject({ cancelRequested: true });
    await held.complete({ outcome: "cancelled", creditsUsed: 2 });
    expect(await told("run", "cancel", runId)).toMatchObject({
      code: 1,
      stderr: "intake: this run has ended already\n",
    });
    const again = await intake<{ id: string }>("run", "retry", runId);
    expect(again.id).not.toBe(runId);
    expect(await told("run", "retry", runId)).toMatchObject({
      code: 1,
      stderr: "intake: a run of this card is under way already\n",
    });
    // Queued beside the server, it is found by whoever waits for a run.
    expect((await claim()).run.id).toBe(again.id);
  });

  test.each([["show"], ["log"], ["cancel"], ["retry"]])("%s of a run that is not there", async (verb) => {
    const absent = "0198c0de-0000-7000-8000-00000000dead";
    expect(await told("run", verb, absent)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `intake: there is no run ${absent}\n`,
    });
    expect((await told("run", verb, "7")).code).toBe(2);
    expect((await told("run", verb)).code).toBe(2);
  });
});
