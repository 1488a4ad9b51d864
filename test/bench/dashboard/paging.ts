import { quantile } from "../quantile.ts";
import { call, type Scene } from "./scene.ts";

export interface Paging {
  name: string;
  pages: number;
  p50Milliseconds: number;
  p95Milliseconds: number;
}

const pagesMax = 200;

/** One page after the other, as somebody fetches them who scrolls: each from the call until its value is there. */
export async function measurePaging(
  scene: Scene,
  name: string,
  pathOf: (next: string | null) => string,
): Promise<Paging> {
  const times: number[] = [];
  let next: string | null = null;
  do {
    const began = performance.now();
    const page: { next: string | null } = await call(scene, pathOf(next));
    times.push(performance.now() - began);
    next = page.next;
  } while (next !== null && times.length < pagesMax);
  return { name, pages: times.length, p50Milliseconds: quantile(times, 0.5), p95Milliseconds: quantile(times, 0.95) };
}
