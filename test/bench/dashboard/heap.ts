import { progress } from "../progress.ts";
import { type OpenPage, openPage, type Scene } from "./scene.ts";
import { sendTicket } from "./send-ticket.ts";

/** What a page keeps of its memory, after the collector has run, while tickets come in. */
export interface Heap {
  ticketsPerSecond: number;
  seconds: number;
  /** At the beginning, and after each of equal spans. */
  bytes: number[];
}

const ticketsPerSecond = 20;
const spans = 4;

export async function measureHeap(scene: Scene, seconds: number): Promise<Heap> {
  progress("memory of a page on a busy board");
  const opened = await openPage(scene, scene.board, "[data-card]");
  const total = seconds * spans;
  const bytes = [await heapOf(opened)];
  for (let span = 1; span <= spans; span++) {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const began = performance.now();
      await sendTicket(scene.server, "One of many");
      await Bun.sleep(Math.max(0, 1000 / ticketsPerSecond - (performance.now() - began)));
    }
    bytes.push(await heapOf(opened));
  }
  await opened.close();
  return { ticketsPerSecond, seconds: total, bytes };
}

async function heapOf({ devtools }: OpenPage): Promise<number> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  return usedSize;
}
