import type { Manifest } from "./manifest.ts";
import type { SegmentName } from "./segment-name.ts";

const dayMilliseconds = 86_400_000;

/**
 * What leads to the moments of the last so many days, counted back from the newest backup: of each chain of segments the
 * backup that they begin with, those after it, and the last backup when it is newer than all of them. A chain without a
 * backup waits for its first one meanwhile. From a backup of the future, which was made while the clock was wrong, the
 * days are counted back from now.
 */
export function neededForLog(
  segments: readonly SegmentName[],
  backups: readonly Manifest[],
  { days, now }: { days: number; now: number },
): { bases: Set<string>; segments: SegmentName[] } {
  const newest = backups.reduce((latest, { asOf }) => Math.max(latest, Date.parse(asOf)), Number.NEGATIVE_INFINITY);
  const since = Math.min(newest, now) - days * dayMilliseconds;
  const bases = new Set<string>();
  const needed = [...Map.groupBy(segments, ({ chain }) => chain)].flatMap(([chain, ofChain]) => {
    if (!ofChain.some(({ end }) => end >= since)) return [];
    const ofLog = backups.filter(({ log }) => log?.chain === chain);
    const base = ofLog.findLast(({ asOf }) => Date.parse(asOf) <= since) ?? ofLog[0];
    if (base) bases.add(base.id);
    const last = ofLog.at(-1);
    if (last && ofChain.every(({ end }) => end < Date.parse(last.asOf))) bases.add(last.id);
    return ofChain.filter(({ number }) => number > (base?.log?.segment ?? 0));
  });
  return { bases, segments: needed };
}
