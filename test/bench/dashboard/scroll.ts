import type { OpenPage } from "./scene.ts";

export interface Scrolling {
  name: string;
  framesPerSecond: number;
  /** Share of frames that came a beat too late. */
  late: number;
  longestMilliseconds: number;
  /** Of the page's one thread, per frame; how long a frame may take is 16.7. */
  workMilliseconds: number;
  /** The most rows or cards that were there at once. */
  mounted: number;
}

/** As fast as people turn a wheel, in pixels a frame. */
const step = 80;
/** A frame that takes longer has missed its place among 60 in a second. */
const beatMilliseconds = 25;

interface Frames {
  gaps: number[];
  mounted: number;
}

/** Scrolls `box`, down and up again, and looks at every frame. `row` is what there should be few of. */
export async function measureScrolling(
  { page, devtools }: OpenPage,
  { name, box, row, seconds }: { name: string; box: string; row: string; seconds: number },
): Promise<Scrolling> {
  await devtools.send("Performance.enable");
  const before = await taskSeconds(devtools);
  const { gaps, mounted } = await page.evaluate<Frames>(`new Promise((resolve) => {
    const box = document.querySelector(${JSON.stringify(box)});
    const gaps = [];
    let [mounted, step, last, began] = [0, ${step}, undefined, undefined];
    requestAnimationFrame(function frame(now) {
      began ??= now;
      if (last !== undefined) gaps.push(now - last);
      last = now;
      mounted = Math.max(mounted, box.querySelectorAll(${JSON.stringify(row)}).length);
      const at = box.scrollTop;
      box.scrollTop += step;
      if (box.scrollTop === at) step = -step;
      if (now - began < ${seconds * 1000}) requestAnimationFrame(frame);
      else resolve({ gaps, mounted });
    });
  })`);
  const work = (await taskSeconds(devtools)) - before;
  return {
    name,
    framesPerSecond: gaps.length / (gaps.reduce((sum, gap) => sum + gap, 0) / 1000),
    late: gaps.filter((gap) => gap > beatMilliseconds).length / gaps.length,
    longestMilliseconds: Math.max(...gaps),
    workMilliseconds: (work * 1000) / gaps.length,
    mounted,
  };
}

async function taskSeconds(devtools: OpenPage["devtools"]): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
}
