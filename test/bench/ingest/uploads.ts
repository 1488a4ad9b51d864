import type { Contestant } from "../contestant.ts";
import { names } from "../names.ts";
import { peakResidentBytes, residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { judgeRows, type RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import { reportWithAttachment } from "./bodies.ts";
import { placeholderId } from "./envelope.ts";
import { countRows } from "./rows.ts";
import { screenshot } from "./screenshot.ts";
import { send } from "./send.ts";
import { startFastify, startIngest } from "./servers.ts";

export const uploadBytes = 24 * 2 ** 20;
export const uploadCounts = [16, 32] as const;

export interface Uploads {
  name: string;
  uploads: number;
  idleBytes: number;
  /** The largest of all rounds. */
  peakBytes: number;
  /** The slowest round. */
  seconds: number;
  rows: RowCount;
}

export async function measureUploads(binary: string, withRivals: boolean, rounds: number): Promise<Uploads[]> {
  const { body } = reportWithAttachment(screenshot(uploadBytes));
  const servers = [() => startIngest(binary, { uploads: true })];
  if (withRivals) servers.push(() => startFastify(`${names.fastify}, streamed`, "streamed"));
  const results: Uploads[] = [];
  for (const uploads of uploadCounts) {
    for (const start of servers) {
      const all: Uploads[] = [];
      for (let round = 1; round <= rounds; round++) all.push(await uploadAtOnce(await start(), body, uploads));
      results.push(worst(all));
    }
  }
  return results;
}

async function uploadAtOnce(server: Contestant, body: Buffer, uploads: number): Promise<Uploads> {
  const idleBytes = residentBytes(server.pid);
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: uploads }, () => send(server, withOwnId(body))));
  const seconds = (performance.now() - began) / 1000;
  const peakBytes = peakResidentBytes(server.pid);
  progress(`${server.name}: ${uploads} uploads, peak ${(peakBytes / 2 ** 20).toFixed(0)} MB`);
  await server.stop();
  const refused = answers.filter(({ status }) => status !== 200);
  if (refused[0]) progress(`${server.name} answered ${refused[0].status}: ${refused[0].text.slice(0, 200)}`);
  const counts = { name: server.name, answers: uploads - refused.length, refusals: refused.length, underWayMax: 0 };
  const rows = countRows(server, counts, { attachments: 1 });
  removeFolder(server.folder);
  return { name: server.name, uploads, idleBytes, peakBytes, seconds, rows };
}

/** The pieces before and after the id are shared by all. */
function withOwnId(body: Buffer): Buffer[] {
  const at = body.indexOf(placeholderId);
  return [body.subarray(0, at), Buffer.from(crypto.randomUUID()), body.subarray(at + placeholderId.length)];
}

function worst(all: readonly Uploads[]): Uploads {
  const [first] = all;
  if (!first) throw new Error("no upload was measured");
  const sum = (of: (rows: RowCount) => number) => all.reduce((total, { rows }) => total + of(rows), 0);
  const wrong = all.find(({ rows }) => !rows.right)?.rows;
  const total = { name: first.name, answers: sum(({ answers }) => answers), refusals: 0, underWayMax: 0 };
  return {
    ...first,
    peakBytes: Math.max(...all.map(({ peakBytes }) => peakBytes)),
    seconds: Math.max(...all.map(({ seconds }) => seconds)),
    rows:
      wrong ??
      judgeRows(
        total,
        sum(({ rows }) => rows),
      ),
  };
}
