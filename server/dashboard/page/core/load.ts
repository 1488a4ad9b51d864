import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChangeEvent, ChangeKind } from "../../../core/change-event.ts";
import { CallFailed } from "./api.ts";
import { boot } from "./boot.ts";
import { useChanges, useReconnected } from "./live.ts";

export interface Loaded<Data> {
  data: Data | undefined;
  /** Why the last try failed. `data` stays what was last loaded, unless the thing was deleted. */
  failed: CallFailed | undefined;
  /** True only when loading takes long enough to be noticed. */
  waiting: boolean;
  reload: () => void;
  /** Replaces `data` by a value that is known already, such as the answer to a change. */
  set: (data: Data) => void;
}

export interface Live {
  kinds: readonly ChangeKind[];
  /** Selects the changes that matter; without it all changes of these kinds do. */
  about?: (change: ChangeEvent) => boolean;
  /**
   * Milliseconds to wait after a change, for counts that follow it later; changes that come meanwhile are waited for
   * too.
   */
  late?: number;
}

const noticedMilliseconds = 120;
/** Lists are loaded at most four times a second. */
const pauseMilliseconds = 250;

/** Loads data when `key` changes, on `reload()`, and when a change announces that the data is out of date. */
export function useLoad<Data>(key: string, load: () => Promise<Data>, live?: Live): Loaded<Data> {
  const [state, setState] = useState<{ key: string; data?: Data; failed?: CallFailed | undefined }>({ key });
  const [waiting, setWaiting] = useState(false);
  const turn = useRef(0);
  const latest = useRef(load);
  latest.current = load;
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const missed = useRef(false);

  const run = useCallback(() => {
    const mine = ++turn.current;
    const notice = setTimeout(() => setWaiting(true), noticedMilliseconds);
    latest
      .current()
      .then(
        (data) => mine === turn.current && setState({ key, data }),
        (error: unknown) => {
          if (mine !== turn.current) return;
          const failed = failureOf(error);
          // Deleted data is not shown any longer.
          const kept = (before: { key: string }) => before.key === key && failed.status !== 404;
          setState((before) => ({ ...(kept(before) ? before : {}), key, failed }));
        },
      )
      .finally(() => {
        clearTimeout(notice);
        if (mine === turn.current) setWaiting(false);
      });
  }, [key]);

  useLayoutEffect(() => {
    run();
    // A change from before the page was opened may be counted only now.
    if (live?.late !== undefined) wait();
    return () => {
      turn.current++;
      clearTimeout(pause.current);
      pause.current = undefined;
    };
  }, [run]);

  useChanges(live?.kinds ?? [], (changes) => {
    if (!live) return;
    if (changes !== "resync" && live.about && !changes.some(live.about)) return;
    if (pause.current === undefined) wait();
    else missed.current = live.late !== undefined;
  });

  // A load that failed without a connection is tried again when the connection is back.
  useReconnected(() => {
    if (state.key === key && state.failed?.status === 0) run();
  });

  function wait() {
    pause.current = setTimeout(() => {
      pause.current = undefined;
      run();
      if (missed.current) wait();
      missed.current = false;
    }, live?.late ?? pauseMilliseconds);
  }

  const mine = state.key === key ? state : { data: undefined, failed: undefined };
  return {
    data: mine.data,
    failed: mine.failed,
    waiting: waiting && mine.data === undefined,
    reload: run,
    set: (data) => {
      turn.current++;
      setState({ key, data });
    },
  };
}

/**
 * The error as a sentence for people. When the session has ended it opens the sign-in, and where a second factor is
 * missing the page that sets one up.
 */
export function failureOf(error: unknown): CallFailed {
  if (!(error instanceof CallFailed)) {
    console.error(error);
    return new CallFailed(0, "internal_error", "This page made a mistake. Reload it.");
  }
  if (error.code === "not_signed_in" && boot.value.member) {
    const { member: _, ...rest } = boot.value;
    boot.value = rest;
  }
  if (error.code === "factor_required") boot.value = { ...boot.value, mustEnrol: true };
  return error;
}
