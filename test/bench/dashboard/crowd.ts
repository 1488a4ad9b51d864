import { startIntake } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { median } from "../median.ts";
import { cpuMicroseconds, residentBytes } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { removeFolder } from "../scratch.ts";
import { script } from "../tickets/compare.ts";
import { loadOnce } from "../wrk.ts";
import { ListeningPages } from "./listening-pages.ts";
import { signIn } from "./scene.ts";

const pages = 200;

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
    /** Of the server, pages included: tells more than the rate on a machine that has other things to do. */
    cpuMicrosecondsPerTicket: number;
    residentBytes: number;
  }[];
  /** After a sign-in, whose digest takes 64 MiB; nothing to tell. */
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
  await quietPages.close();

  const all = (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    perSecond: [] as number[],
    p99: [] as number[],
    cpu: [] as number[],
    bytes: 0,
  }));
  for (let round = 0; round <= rounds; round++) {
    for (const one of all) {
      const board = one.kind === "refetching" ? `/internal/boards/${installation.boardId}` : undefined;
      const open = one.kind === "none" ? undefined : await ListeningPages.open(server.url, cookie, pages, board);
      const before = cpuMicroseconds(server.pid);
      const load = await loadOnce(server, { script, seconds });
      const cpu = (cpuMicroseconds(server.pid) - before) / load.answers;
      one.bytes = residentBytes(server.pid);
      await open?.close();
      progress(`${kinds[one.kind]}: ${(load.answers / load.seconds).toFixed(0)} tickets/s, ${cpu.toFixed(0)} µs each`);
      // The first warms up.
      if (round === 0) continue;
      one.perSecond.push(load.answers / load.seconds);
      one.p99.push(load.p99Milliseconds);
      one.cpu.push(cpu);
    }
  }
  await server.stop();
  removeFolder(installation.folder);
  const none = median(all[0]?.perSecond ?? []);
  const loads = all.map(({ kind, perSecond, p99, cpu, bytes }) => ({
    kind,
    name: kinds[kind],
    perSecond: median(perSecond),
    toNone: median(perSecond) / none,
    p99Milliseconds: median(p99),
    cpuMicrosecondsPerTicket: median(cpu),
    residentBytes: bytes,
  }));
  return { loads, quietBytes };
}
