import { mustEnrol } from "../accounts/session.ts";
import { sessionCounts, sessionCountsAt } from "../accounts/session-limits.ts";
import type { Context } from "../core/context.ts";
import { Periodic } from "../core/periodic.ts";
import { readSettings } from "../core/settings.ts";
import type { LiveHub } from "./hub.ts";

const lookMilliseconds = 500;
const beatMilliseconds = 15_000;

interface Watched {
  store: Context["store"];
  now: () => number;
  /** A number that differs once another process has changed the database. */
  outsideVersion: () => number;
  /** Why work cannot be stored at the moment. */
  trouble: () => string | undefined;
}

interface Watch {
  work: Periodic;
  /**
   * The id of the latest message. Whoever reads something after this call and listens from this id on is told of every
   * change of what was read.
   */
  position: () => string;
}

/**
 * Tells pages about changes that no other code of this process announces: changes made by the command line, sessions
 * that ended, a full disk.
 */
export function watchForPages(hub: LiveHub, { store, now, outsideVersion, trouble }: Watched): Watch {
  let version = outsideVersion();
  let refusing = trouble() !== undefined;
  let beaten = now();

  async function look() {
    const troubled = trouble() !== undefined;
    if (troubled !== refusing) hub.tell({ kind: "storage", id: "storage" });
    refusing = troubled;
    if (hub.listening === 0) return;
    const current = outsideVersion();
    const beat = Math.abs(now() - beaten) >= beatMilliseconds;
    if (hub.membersChanged() || current !== version || beat) await endLostSessions(hub, store, now());
    if (current !== version) hub.resync();
    if (beat) {
      hub.beat();
      beaten = now();
    }
    version = current;
  }

  /**
   * While no page listens, nobody looks for changes by other processes. Those from before this call are what a page is
   * going to read, so it need not load again because of them.
   */
  function position(): string {
    const current = outsideVersion();
    if (hub.listening === 0 && current !== version) {
      hub.resync();
      version = current;
    }
    return hub.position;
  }

  const work = new Periodic({ turn: look, every: lookMilliseconds, failed: "open pages were not told what changed" });
  return { work, position };
}

/**
 * Closes the connections of sessions that ended, whose member has another role now, or who has to enrol a second factor
 * first; pages reconnect where they may.
 */
async function endLostSessions(hub: LiveHub, store: Context["store"], now: number) {
  const settings = await readSettings(store);
  for (const [hash, role] of hub.sessions()) {
    const row = await store.one<{ role: string }>(
      `select m.role from session s join member m on m.id = s.member_id
       where s.hash = $1 and ${sessionCounts(2)} and m.removed_at is null and not ${mustEnrol}`,
      [hash, ...sessionCountsAt(settings, now)],
    );
    if (row?.role !== role) hub.endSessions((session) => session === hash);
  }
}
