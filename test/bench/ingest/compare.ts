import { names } from "../names.ts";
import { progress } from "../progress.ts";
import { type Measured, measureInterleaved } from "../rounds.ts";
import type { RowCount } from "../row-count.ts";
import { removeFolder } from "../scratch.ts";
import type { Bodies } from "./bodies.ts";
import { countRows } from "./rows.ts";
import { script, startBare, startFastify, startIngest } from "./servers.ts";

export interface Comparison {
  bodies: Bodies;
  measured: Measured[];
  rows: RowCount[];
}

/** All servers run beside each other from start to end; only one at a time has anything to do. */
export async function compare(
  binary: string,
  withRivals: boolean,
  bodies: Bodies,
  options: { rounds: number; seconds: number },
): Promise<Comparison> {
  progress("starting the servers");
  const attachments = bodies.attachmentBytes > 0 ? 1 : 0;
  const contestants = [await startIngest(binary, { uploads: attachments > 0 }), await startBare()];
  if (withRivals) {
    contestants.push(await startFastify(names.fastify, "each"), await startFastify(names.fastifyGrouped, "grouped"));
  }
  const measured = await measureInterleaved(contestants, { script, args: [bodies.file], ...options });
  const rows: RowCount[] = [];
  for (const [i, contestant] of contestants.entries()) {
    await contestant.stop();
    const result = measured[i];
    if (result) rows.push(countRows(contestant, result, { attachments }));
    removeFolder(contestant.folder);
  }
  return { bodies, measured, rows };
}
