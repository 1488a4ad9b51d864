import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { basesOf, listMoments } from "../../server/backup/find-moment.ts";
import { openTarget } from "../../server/backup/open-target.ts";
import { SegmentShipper } from "../../server/backup/ship-segments.ts";
import { attachmentPath } from "../../server/store/local-files.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { type RunningBinary, run, serve } from "../support/binary.ts";
import { attachment, envelope, newSdkKey, submit } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { S3Server, s3Environment } from "../support/s3-server.ts";
import { newToken } from "../support/tickets.ts";
import { until } from "../support/until.ts";
import { restore, verify } from "./backups.ts";

setDefaultTimeout(600_000);

/** Kills of the server in each test; `KILL_ROUNDS` runs more. */
const rounds = Number(process.env["KILL_ROUNDS"] ?? 2);

let scratch: string;
let storage: S3Server;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "intake-point-in-time-"));
  storage = await S3Server.start();
}, 300_000);
afterAll(async () => {
  await storage?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

interface Answered {
  begun: number;
  answered: number;
}

/** Of each client. What is to be copied and read back stays small, however long it takes on a machine that is busy. */
const millisecondsBetweenCalls = 20;

/** Sends tickets, and reports with an attachment, whatever becomes of the server. */
class Load {
  readonly tickets = new Map<string, Answered>();
  /** By the id of the report; the digest of its attachment. */
  readonly reports = new Map<string, Answered & { sha256: string }>();
  url = "";
  going = true;
  /** Whether a server has told of a gap. */
  gaps = false;
  readonly #clients: Promise<void>[];

  constructor(token: string, key: string) {
    this.#clients = [
      ...Array.from({ length: 6 }, () => this.#repeat(() => this.#ticket(token))),
      this.#repeat(() => this.#report(key)),
    ];
  }

  async end(): Promise<void> {
    this.going = false;
    await Promise.all(this.#clients);
  }

  async #repeat(send: () => Promise<unknown>): Promise<void> {
    while (this.going) {
      await send().catch(() => {});
      await Bun.sleep(millisecondsBetweenCalls);
    }
  }

  async #ticket(token: string): Promise<void> {
    const title = crypto.randomUUID();
    const begun = Date.now();
    const response = await fetch(`${this.url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": title },
      body: JSON.stringify({ title, description: title.repeat(Math.ceil(Math.random() * 100)) }),
    });
    await response.text();
    if (response.status === 201) this.tickets.set(title, { begun, answered: Date.now() });
  }

  async #report(key: string): Promise<void> {
    const bytes = crypto.getRandomValues(new Uint8Array(Math.ceil(Math.random() * 60_000)));
    const begun = Date.now();
    const response = await submit(
      { send: (path, init) => fetch(this.url + path, init) },
      { key, parts: [envelope({ reportId: crypto.randomUUID() }), attachment(bytes)] },
    );
    const { eventId } = (await response.json()) as { eventId?: string };
    if (response.status === 200 && eventId) {
      this.reports.set(eventId, { begun, answered: Date.now(), sha256: Bun.SHA256.hash(bytes, "hex") });
    }
  }

  /** Throws unless a restored directory has exactly what was answered before a moment, and the files of it. */
  requireExact(data: string, { at, segments }: { at: number; segments: number }) {
    const db = new Database(databasePath(data), { readonly: true });
    const titles = new Set(
      db
        .query<{ title: string }, []>("select title from ticket")
        .all()
        .map(({ title }) => title),
    );
    const files = db
      .query<{ eventId: string; id: string }, []>('select event_id as "eventId", id from attachment')
      .all();
    db.close();
    const of = new Map(files.map(({ eventId, id }) => [eventId, id]));
    const look = (name: string, { begun, answered }: Answered, there: boolean) => {
      if (answered < at && !there) throw new Error(`${name}, answered ${at - answered} ms before, is missing`);
      // A backup may have a little of what was stored while it copied the end of the log.
      if (segments > 0 && begun > at && there) throw new Error(`${name}, begun ${begun - at} ms later, is there`);
    };
    for (const [title, times] of this.tickets) look(`the ticket ${title}`, times, titles.has(title));
    for (const [eventId, report] of this.reports) {
      const id = of.get(eventId);
      look(`the report ${eventId}`, report, id !== undefined);
      if (id === undefined) continue;
      expect(Bun.SHA256.hash(readFileSync(attachmentPath(data, id)), "hex")).toBe(report.sha256);
    }
    return titles.size;
  }
}

async function newInstallation(to: string): Promise<{ installation: Installation; load: Load }> {
  const installation = await install();
  const [{ token }, { key }] = await Promise.all([newToken(installation), newSdkKey(installation)]);
  for (const [name, value] of [
    ["backup_to", to],
    ["backup_log", "on"],
  ] as const) {
    const { code, stderr } = await run(["settings", "set", name, value, "--data", installation.folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  return { installation, load: new Load(token, key) };
}

async function started(installation: Installation, load: Load): Promise<RunningBinary> {
  const server = await serve(installation.folder, ["--rate-limits", "off"], { env: s3Environment });
  load.url = server.url;
  return server;
}

test.each(["folder", "bucket"])(
  `after ${rounds} kills of the server any moment is restored exactly from a %s, or refused because of a gap`,
  async (kind) => {
    const to = kind === "folder" ? join(scratch, "target") : storage.newPlace("some/prefix");
    const target = openTarget(to, s3Environment);
    const { installation, load } = await newInstallation(to);
    let server = await started(installation, load);
    await until(async () => (await basesOf(target))[0], 150);
    const since = Date.now();
    for (let round = 0; round < rounds; round++) {
      const enough = load.tickets.size + 20 + Math.random() * 400;
      await until(() => load.tickets.size > enough || undefined, 120);
      await server.stop("SIGKILL");
      load.gaps ||= server.stderr().includes("has a gap");
      server = await started(installation, load);
    }
    // A segment that began after the last kill.
    const killed = Date.now();
    await until(async () => ((await target.segments()).at(-1)?.end ?? 0) > killed || undefined, 120);
    const enough = load.tickets.size + 50;
    await until(() => load.tickets.size > enough || undefined, 120);
    await load.end();
    // After a gap a backup is made at once.
    const chain = (await target.segments()).at(-1)?.chain;
    await until(async () => (await basesOf(target)).at(-1)?.log.chain === chain || undefined, 120);
    await server.stop();
    const gaps = load.gaps || server.stderr().includes("has a gap");
    const ended = Date.now();

    const ranges = (await listMoments(target)).moments;
    expect(gaps || ranges.length === 1).toBe(true);
    await verify(target, scratch);
    let exact = 0;
    for (const time of [...Array.from({ length: 4 }, () => since + Math.random() * (ended - since)), ended]) {
      const data = join(scratch, crypto.randomUUID());
      const restored = await restore(target, data, { at: time }).catch((error) => (error as Error).message);
      if (typeof restored === "string") expect(restored).toContain("Moments that can be restored");
      else {
        load.requireExact(data, restored);
        exact++;
        rmSync(data, { recursive: true });
      }
    }
    expect(exact).toBeGreaterThan(0);
    // Everything is in the spool when a server has stopped; what it had no time to ship, its next start ships.
    const shipper = new SegmentShipper(installation.folder, target);
    while (await shipper.next()) {}
    const whole = join(scratch, crypto.randomUUID());
    const last = await restore(target, whole, { at: ended });
    expect(load.requireExact(whole, last)).toBeGreaterThanOrEqual(load.tickets.size);
    const opened = await serve(whole);
    expect((await fetch(`${opened.url}/readyz`)).status).toBe(200);
    await opened.stop();
    // The page tells those that an admin has asked for apart from those that a log needed to begin with.
    const db = new Database(databasePath(installation.folder));
    expect(db.query("select distinct origin from backup_try").all()).toEqual([{ origin: "schedule" }]);
    db.close();
    rmSync(installation.folder, { recursive: true });
  },
);
