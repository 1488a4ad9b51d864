import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { withProjectUsage } from "../../server/core/project-usage.ts";
import { bytesOf } from "../../server/store/files.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { killRounds, onS3 } from "../support/databases.ts";
import { faultsFound } from "../support/doctor.ts";
import { attachment, envelope, newSdkKey, type PartInput, submit } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { keptIds, openFiles } from "../support/kept-files.ts";
import { createSurvivor, createUntilGone, newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";

/** The servers live for about a second: what the optimising compilers would gain, they would cost. */
const unoptimised = { BUN_JSC_useDFGJIT: "0" };

const rounds = killRounds(24);

let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(() => installation.remove());

/** A report that was sent, with its answer. */
interface Sent {
  envelope: string;
  attachments: Buffer[];
  eventId: string;
}

const sizes = { small: [] as number[], light: [500, 4_000], attached: [100_000], large: [2_000_000, 70_000] };

/** Submits new reports until the server is gone; remembers every 200. */
async function report(server: RunningBinary, key: string, lengths: readonly number[], acknowledged: Sent[]) {
  for (let n = 0; ; n++) {
    const text = JSON.stringify({ reportId: n % 3 ? crypto.randomUUID() : undefined, unique: crypto.randomUUID() });
    const attachments = lengths.map((length) => Buffer.alloc(length, text));
    try {
      const response = await submitTo(server, key, text, attachments);
      const answer = (await response.json()) as { eventId: string; idempotent: boolean };
      if (response.status !== 200) continue;
      expect(answer.idempotent).toBe(false);
      acknowledged.push({ envelope: text, attachments, eventId: answer.eventId });
    } catch {
      return;
    }
  }
}

function submitTo({ url }: RunningBinary, key: string, text: string, attachments: readonly Buffer[]) {
  const parts: PartInput[] = [envelope(text), ...attachments.map((content, i) => attachment(content, i))];
  return submit({ send: (path, init) => fetch(url + path, init) }, { key, parts });
}

test(`${rounds} rounds of kill -9 lose no acknowledged report, no byte of an attachment, and double nothing`, async () => {
  const { key } = await newSdkKey(installation);
  const { token } = await newToken(installation);
  const all: Sent[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await serve(installation.folder, ["--rate-limits", "off"], { env: unoptimised });
    const created = new Map<string, string>();
    const reports: Record<keyof typeof sizes, Sent[]> = { small: [], light: [], attached: [], large: [] };
    const load = [
      ...Array.from({ length: 4 }, () => createUntilGone(server.url, token, created)),
      ...Array.from({ length: 4 }, () => report(server, key, sizes.small, reports.small)),
      ...Array.from({ length: 3 }, () => report(server, key, sizes.light, reports.light)),
      ...Array.from({ length: 3 }, () => report(server, key, sizes.attached, reports.attached)),
      ...Array.from({ length: 2 }, () => report(server, key, sizes.large, reports.large)),
    ];
    const wanted = { reports: 5 + Math.floor(Math.random() * 60), large: 1 + Math.floor(Math.random() * 3) };
    await until(
      () =>
        (reports.small.length >= wanted.reports &&
          reports.light.length >= 5 &&
          reports.attached.length >= 2 &&
          reports.large.length >= wanted.large &&
          created.size > 0) ||
        undefined,
    );
    await server.stop("SIGKILL");
    await Promise.all(load);

    // The sweep at the start runs beside the first requests.
    const again = await serve(installation.folder, ["--rate-limits", "off"], { env: unoptimised });
    const sent = Object.values(reports).flat();
    const open = sent.values();
    // Not more at the same time than one address may upload.
    const repeating = Array.from({ length: 16 }, async () => {
      for (const one of open) {
        const response = await submitTo(again, key, one.envelope, one.attachments);
        expect(await response.json()).toMatchObject({ eventId: one.eventId, idempotent: true });
      }
    });
    await Promise.all(repeating);
    await Promise.all(
      [...created].map(async ([name, text]) => {
        expect(await (await createSurvivor(again.url, token, name)).text()).toBe(text);
      }),
    );
    all.push(...sent);
    // In a bucket a file without a row may be of a report that another process is storing: it is swept a day later.
    await until(async () => ((onS3 || (await filesWithoutRow()).length === 0) && uploads().length === 0) || undefined);
    expect(await rowsWithoutFile()).toEqual([]);
    await again.stop("SIGKILL");
  }

  const files = openFiles(installation.folder);
  for (const { eventId, attachments } of all) {
    const rows = await installation.ctx.store.all<{ id: string; sha256: string }>(
      "select id, sha256 from attachment where event_id = $1 order by number",
      [eventId],
    );
    expect(rows.length).toBe(attachments.length);
    for (const [i, { id, sha256 }] of rows.entries()) {
      const digest = Bun.SHA256.hash(attachments[i] ?? "", "hex");
      const file = await files.find(id);
      expect([sha256, file && Bun.SHA256.hash(await bytesOf(file), "hex")]).toEqual([digest, digest]);
    }
  }
  const { store } = installation.ctx;
  expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(all.length);
  const twice = await store.all("select digest from event group by digest having count(*) > 1");
  expect(twice).toEqual([]);
  const halves = await store.all(
    `select id from event where id not in (select event_id from envelope)
     union all select id from event where id not in (select event_id from receipt)
     union all select event_id from receipt where event_id not in (select id from event)`,
  );
  expect(halves).toEqual([]);
  const usage = await store.all(
    withProjectUsage(
      (usage) => `select p.events, p.bytes, count(*) as counted, sum(e.stored_bytes) as sum from ${usage} p
        join event e on e.project_id = p.project_id group by p.project_id, p.events, p.bytes
        having p.events <> count(*) or p.bytes <> sum(e.stored_bytes)`,
    ),
  );
  expect(usage).toEqual([]);
  expect(await faultsFound(installation.folder)).toEqual([]);
}, 400_000);

function uploads(): string[] {
  return readdirSync(`${installation.folder}/uploads`);
}

async function named(): Promise<string[]> {
  const rows = await installation.ctx.store.all<{ id: string }>("select id from attachment where state <> 'missing'");
  return rows.map(({ id }) => id);
}

async function filesWithoutRow(): Promise<string[]> {
  const known = new Set(await named());
  return (await keptIds(installation.folder)).filter((id) => !known.has(id));
}

async function rowsWithoutFile(): Promise<string[]> {
  const kept = new Set(await keptIds(installation.folder));
  return (await named()).filter((id) => !kept.has(id));
}
