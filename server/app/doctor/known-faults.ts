import { version } from "../../../package.json";
import { releaseDate } from "../../core/release-date.ts";
import type { Holder } from "../lock.ts";
import { bad, good } from "./finding.ts";

/** A fault of released versions that their operators have to know of. */
export interface KnownFault {
  /** Stable, and never used for another fault: `lost-replays`. */
  id: string;
  /** The first released version that has it. */
  since: string;
  /** The first version without it; null as long as there is none. */
  mendedIn: string | null;
  /** What happens, and when. */
  about: string;
  /** What to do, in lower case. */
  remedy: string;
}

/**
 * The faults of released versions that were known when this binary was made. A fault is added with the change that mends
 * it, or as soon as it is known: whoever looks with a newer binary at an installation is told of the older server's.
 */
export const knownFaults: readonly KnownFault[] = [];

/** Looks up the faults of this binary's version, and of the server that runs. */
export function versionFaults(holder: Holder | undefined, known = knownFaults, own = version) {
  const server = holder?.url === undefined ? undefined : holder.version;
  const found = [...new Set([own, server])].flatMap((one) =>
    one === undefined ? [] : faultsOf(one, known).map((fault) => ({ version: one, ...fault })),
  );
  const looked = server === undefined || server === own ? `intake ${own}` : `intake ${own} and the server's ${server}`;
  if (found.length === 0) {
    const day = new Date(releaseDate).toISOString().slice(0, 10);
    return good(`none of ${looked} as of ${day}; a newer binary may know of more`);
  }
  const texts = found.map((fault) => `intake ${fault.version} has ${fault.id}: ${fault.about}`);
  const remedies = [
    ...new Set(found.map(({ remedy, mendedIn }) => `${remedy}${mendedIn === null ? "" : ` (mended in ${mendedIn})`}`)),
  ];
  return bad("version_fault", texts.join("; "), remedies.join("; "));
}

function faultsOf(one: string, known: readonly KnownFault[]): KnownFault[] {
  return known.filter(
    ({ since, mendedIn }) =>
      Bun.semver.order(one, since) >= 0 && (mendedIn === null || Bun.semver.order(one, mendedIn) < 0),
  );
}
