import type { Frame } from "../reports/types.ts";

export interface FrameGroup {
  app: boolean;
  frames: Frame[];
}

/**
 * Groups neighbouring frames of the same owner. When no frame belongs to the app, the first group counts as the app's.
 */
export function framesByOwner(frames: readonly Frame[]): FrameGroup[] {
  const groups: FrameGroup[] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last?.app === frame.app) last.frames.push(frame);
    else groups.push({ app: frame.app, frames: [frame] });
  }
  const [first] = groups;
  if (first && !groups.some(({ app }) => app)) first.app = true;
  return groups;
}

/** `src/cart.ts:88:21` */
export function placeOf({ file, line, column }: Frame): string {
  return [file, line, line === null ? null : column].filter((part) => part !== null).join(":");
}
