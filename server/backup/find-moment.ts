import { BackupRefused } from "./backup-refused.ts";
import { type BackupLog, type Manifest, readManifest } from "./manifest.ts";
import { readHead } from "./segment.ts";
import type { SegmentName } from "./segment-name.ts";
import type { BackupTarget } from "./target.ts";

/** A backup that segments can be applied to. */
export type Base = Manifest & { log: BackupLog };

/** Moments that can be restored: the time of the first backup to the end of the last segment, as ISO 8601. */
export interface Range {
  from: string;
  to: string;
}

/** What leads to the state of a moment. */
export interface Moment {
  base: Base;
  /** Those to apply, in their order; none when the backup itself is the moment. */
  segments: SegmentName[];
  /** Epoch milliseconds: everything that was answered before is there. */
  at: number;
}

/**
 * Finds the newest moment not after `time` (epoch milliseconds): the newest backup before it that has a place in a chain
 * of segments, and the segments from there on. `baseId` names another base, which an earlier run has begun with. Throws
 * when nothing is known of the moment.
 */
export async function findMoment(target: BackupTarget, time: number, baseId?: string): Promise<Moment> {
  const bases = await basesOf(target);
  const all = await target.segments();
  const base = bases.findLast(({ id, asOf }) => {
    return Date.parse(asOf) <= time && (baseId === undefined || id === baseId);
  });
  const refused = (text: string) => new BackupRefused(`${text} ${rangesInWords(rangesOf(bases, all))}`);
  if (bases.length === 0) {
    throw new BackupRefused(
      `no backup of ${target.words} was made with backup_log on, so that only whole backups can be restored: leave --at out for the newest, or name one with --id (intake backup list)`,
    );
  }
  if (!base) {
    throw refused(`no backup of ${target.words} from before ${iso(time)} can be the base for segments of the log.`);
  }
  const following = all.filter(({ chain, number }) => chain === base.log.chain && number > base.log.segment);
  const wanted = following.slice(0, following.findLastIndex(({ end }) => end <= time) + 1);
  const missing = wanted.findIndex(({ number }, i) => number !== base.log.segment + 1 + i);
  if (missing >= 0) {
    throw refused(
      `segment ${base.log.segment + 1 + missing} of the log ${base.log.chain} is missing in ${target.words}.`,
    );
  }
  const unbroken = wanted.length === following.length;
  const later = bases.find(({ asOf, log }) => Date.parse(asOf) > time && log.chain !== base.log.chain);
  const end = await reached(target, base, wanted);
  const at = end?.end ?? Date.parse(base.asOf);
  // Behind the end of a chain that another one follows, something may have been stored that no segment has.
  if (unbroken && later && time > at) {
    throw refused(`nothing is known of ${iso(time)}: the log ends at ${iso(at)} and goes on at ${later.asOf}.`);
  }
  const unbased = all.find(({ chain, end }) => {
    return chain !== base.log.chain && end > at && (end <= time || (unbroken && time > at));
  });
  if (unbased) {
    throw refused(
      `nothing is known of ${iso(time)}: the log ends at ${iso(at)}, and the one that follows has no backup to begin with.`,
    );
  }
  return { base, segments: end ? wanted : [], at };
}

/**
 * All moments that can be restored, newest range first, and those in between that cannot because the log could not go
 * on.
 */
export async function listMoments(target: BackupTarget): Promise<{ moments: Range[]; gaps: Range[] }> {
  const segments = await target.segments();
  const ranges = rangesOf(await basesOf(target), segments);
  const oldest = segments.reduce((end, segment) => Math.min(end, segment.end), Number.POSITIVE_INFINITY);
  const gaps = ranges.flatMap(({ to, chain }, i) => {
    const next = ranges[i + 1];
    if (!next || next.from <= to) return [];
    // Backups of one chain without segments in between: these were pruned.
    if (next.chain === chain && Date.parse(next.from) <= oldest) return [];
    return [{ from: to, to: next.from }];
  });
  return { moments: ranges.map(({ from, to }) => ({ from, to })).reverse(), gaps: gaps.reverse() };
}

/** The segments that lead from a backup to the newest moment of its chain; none when they were pruned, or none is newer. */
export async function segmentsAfter(target: BackupTarget, base: Base): Promise<SegmentName[]> {
  const { chain, segment } = base.log;
  const following = (await target.segments(chain)).filter(({ number }) => number > segment);
  if (following[0]?.number !== segment + 1) return [];
  const missing = following.findIndex(({ number }, i) => number !== segment + 1 + i);
  if (missing >= 0) {
    throw new BackupRefused(
      `segment ${segment + 1 + missing} of the log ${chain} is missing in ${target.words}: moments behind it can be restored from the next backup on`,
    );
  }
  return (await reached(target, base, following)) ? following : [];
}

/** Backups with a place in a chain, oldest first. Those that cannot be read are no base. */
export async function basesOf(target: BackupTarget): Promise<Base[]> {
  const bases: Base[] = [];
  for (const id of await target.ids()) {
    const text = await target.manifest(id);
    if (text === undefined) continue;
    try {
      const manifest = readManifest(id, text);
      if (manifest.log) bases.push(manifest as Base);
    } catch (error) {
      if (!(error instanceof BackupRefused)) throw error;
    }
  }
  return bases;
}

/**
 * The last of the segments when its end is not before the backup in the log; undefined when it is: then the backup is
 * newer than the segment, and older pages must not get into it. Times do not tell, as a clock may be set back.
 */
async function reached(
  target: BackupTarget,
  { log }: Base,
  segments: readonly SegmentName[],
): Promise<SegmentName | undefined> {
  const last = segments.at(-1);
  if (last === undefined || log.salts === null) return last;
  let seen = false;
  for (const segment of segments) {
    for (const { salts, to } of (await readHead(target, segment)).logs) {
      if (seen && salts !== log.salts) return last;
      if (salts !== log.salts) continue;
      seen = true;
      if (to >= log.frame) return last;
    }
  }
  return undefined;
}

function rangesOf(bases: readonly Base[], segments: readonly SegmentName[]): (Range & { chain: string })[] {
  const ranges: (Range & { chain: string; next: number })[] = [];
  for (const { asOf, log } of bases) {
    const last = ranges.at(-1);
    // The segments that lead to the next backup are there: it lies within the range.
    if (last && last.chain === log.chain && last.next > log.segment) {
      if (asOf > last.to) last.to = asOf;
      continue;
    }
    let next = log.segment + 1;
    let to = Date.parse(asOf);
    for (const { chain, number, end } of segments) {
      if (chain !== log.chain || number !== next) continue;
      next++;
      to = Math.max(to, end);
    }
    ranges.push({ from: asOf, to: iso(to), chain: log.chain, next });
  }
  return ranges;
}

export function rangesInWords(ranges: readonly Range[]): string {
  if (ranges.length === 0) return "No moment between backups can be restored.";
  const some = ranges.slice(-3).map(({ from, to }) => `${from} to ${to}`);
  return `Moments that can be restored: ${ranges.length > some.length ? "…, " : ""}${some.join(", ")}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
