import { startIntake } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { median } from "../median.ts";
import { residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { removeFolder } from "../scratch.ts";
import { script } from "../tickets/compare.ts";
import { loadOnce } from "../wrk.ts";
import { ListeningPages } from "./listening-pages.ts";
import { signIn } from "./scene.ts";

export const pages = 200;

const kinds = {
  none: "no page is open",
  listening: `${pages} pages listen`,
  refetching: `${pages} pages listen and fetch the board anew`,
};
type Kind = keyof typeof kinds;

export interface Crowd {
  /** Tickets a second that the API takes, medians; and the server's memory at the end of the last round. */
  loads: {
    kind: Kind;
    name: string;
    perSecond: number;
    toNone: number;
    p99Milliseconds: number;
    residentBytes: number;
  }[];
  /** With the pages open, and nothing to tell. */
  quietBytes: { none: number; listening: number };
}

/** The ticket API beside many open pages, in alternating rounds. */
export async function measureCrowd(
  binary: string,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Crowd> {
  const installation = await freshInstallation(binary);
  const server = await startIntake("crowd", installation, installation.token);
  const cookie = await signIn(server.url, installation.admin);
  const quiet = residentBytes(server.pid);
  const quietPages = await ListeningPages.open(server.url, cookie, pages);
  const quietBytes = { none: quiet, listening: residentBytes(server.pid) };
  quietPages.close();

  const all = (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    perSecond: [] as number[],
    p99: [] as number[],
    bytes: 0,
  }));
  for (let round = 0; round <= rounds; round++) {
    for (const one of all) {
      const board = one.kind === "refetching" ? `/internal/boards/${installation.boardId}` : undefined;
      const open = one.kind === "none" ? undefined : await ListeningPages.open(server.url, cookie, pages, board);
      const load = await loadOnce(server, { script, seconds });
      one.bytes = residentBytes(server.pid);
      open?.close();
      progress(`${kinds[one.kind]}: ${(load.answers / load.seconds).toFixed(0)} tickets/s`);
      // The first warms up.
      if (round === 0) continue;
      one.perSecond.push(load.answers / load.seconds);
      one.p99.push(load.p99Milliseconds);
    }
  }
  await server.stop();
  removeFolder(installation.folder);
  const none = median(all[0]?.perSecond ?? []);
  const loads = all.map(({ kind, perSecond, p99, bytes }) => ({
    kind,
    name: kinds[kind],
    perSecond: median(perSecond),
    toNone: median(perSecond) / none,
    p99Milliseconds: median(p99),
    residentBytes: bytes,
  }));
  return { loads, quietBytes };
}
