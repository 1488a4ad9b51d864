import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ChangeEvent, ChangeKind } from "../../../core/change-event.ts";
import { boot } from "./boot.ts";
import { dropAnswer } from "./document-answer.ts";

/** Whether the page receives changes; `since` is when the connection was lost. */
export const live = signal<{ state: "live" | "reconnecting" | "offline"; since: number }>({
  state: "live",
  since: Date.now(),
});

type Heard = (changes: readonly ChangeEvent[] | "resync") => void;
const listeners = new Set<Heard>();

const staleMilliseconds = 5_000;
const hiddenMilliseconds = 30_000;
const againMilliseconds = 2_000;

let source: EventSource | undefined;
/** At first what the document is up to date with, so that no change is missed between it and the connection. */
let lastId = boot.peek().live;
let stale: ReturnType<typeof setTimeout> | undefined;
let hidden: ReturnType<typeof setTimeout> | undefined;
let again: ReturnType<typeof setTimeout> | undefined;

let refused = () => Promise.resolve(true);

/**
 * Listens to live changes. A hidden page stops after a while, because browsers open few connections to one host.
 * `onRefused` finds out why the server refuses the stream, and whether to try again.
 */
export function startLive(onRefused: () => Promise<boolean>) {
  refused = onRefused;
  connect();
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(disconnect, hiddenMilliseconds);
    else if (!source) connect();
  });
  // What an old connection still delivered may have counted as live: what is shown is loaded again all the same.
  addEventListener("online", () => {
    lost();
    reconnect();
  });
  addEventListener("offline", lost);
  // A page that the browser kept while another one was shown: its connection was closed.
  addEventListener("pageshow", (event) => {
    if (!(event as PageTransitionEvent).persisted) return;
    lost();
    reconnect();
  });
}

function connect() {
  disconnect();
  source = new EventSource(`/internal/live${lastId === undefined ? "" : `?since=${lastId}`}`);
  for (const name of ["hello", "facts", "resync"] as const) source.addEventListener(name, (event) => hear(name, event));
  source.onerror = () => {
    lost();
    // A browser does not try a refused stream again. The session may have ended.
    if (source?.readyState === EventSource.CLOSED) void tryAgain();
  };
}

async function tryAgain() {
  const given = source;
  const goOn = await refused();
  if (source !== given) return;
  clearTimeout(again);
  if (goOn) again = setTimeout(reconnect, againMilliseconds);
  else disconnect();
}

function reconnect() {
  if (!document.hidden) connect();
}

function disconnect() {
  clearTimeout(again);
  source?.close();
  source = undefined;
}

function hear(name: "hello" | "facts" | "resync", { data, lastEventId }: MessageEvent<string>) {
  lastId = lastEventId;
  dropAnswer();
  clearTimeout(stale);
  stale = undefined;
  if (live.value.state !== "live") live.value = { state: "live", since: Date.now() };
  if (name === "hello") return;
  const sent = name === "resync" ? "resync" : (JSON.parse(data) as ChangeEvent[]);
  const changes = sent !== "resync" && sent.some(({ gone }) => gone) ? "resync" : sent;
  for (const listener of [...listeners]) listener(changes);
}

function lost() {
  if (live.value.state === "live") live.value = { state: "reconnecting", since: Date.now() };
  stale ??= setTimeout(() => {
    if (live.value.state === "reconnecting") live.value = { state: "offline", since: live.value.since };
  }, staleMilliseconds);
}

/** Calls `heard` with changes of these kinds, or with "resync" when anything may have changed. */
export function useChanges(kinds: readonly ChangeKind[], heard: Heard) {
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => {
    const listener: Heard = (changes) => {
      if (changes === "resync") return latest.current("resync");
      const wanted = changes.filter(({ kind }) => kinds.includes(kind));
      if (wanted.length > 0) latest.current(wanted);
    };
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  }, [kinds.join()]);
}

/** Calls `again` whenever the connection is back after it was lost. */
export function useReconnected(again: () => void) {
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    let was = live.peek().state;
    return live.subscribe(({ state }) => {
      if (state === "live" && was !== "live") latest.current();
      was = state;
    });
  }, []);
}
