import { IngestClient, type IngestOptions, type Stats } from "@intake/client/ingest";
import { type IntakeError, isIntakeError, TicketsClient, type TicketsOptions } from "@intake/client/tickets";
import type { FaultRecord, Step } from "../fault-script.ts";
import { equal, ok } from "./check.ts";
import type { Env } from "./env.ts";
import { keepsSecrets } from "./secrets.ts";

/** A fault server for one case. */
interface Faults {
  url: string;
  record(): Promise<FaultRecord>;
}

async function startFaults(env: Env, steps: readonly Step[]): Promise<Faults> {
  const { id, url } = await ask<{ id: string; url: string }>(env, "/faults", {
    method: "POST",
    body: JSON.stringify(steps),
  });
  return { url, record: () => ask<FaultRecord>(env, `/faults/${id}`) };
}

/** A client of the ticket API that talks to a fault server. */
export async function faultyTickets(env: Env, steps: readonly Step[], options: Partial<TicketsOptions> = {}) {
  const faults = await startFaults(env, steps);
  const tickets = new TicketsClient({
    baseUrl: faults.url,
    token: env.token,
    allowBrowser: true,
    logger: discreet,
    ...options,
  });
  return { tickets, ...faults };
}

/** A client of the ingest API that talks to a fault server. */
export async function faultyReports(env: Env, steps: readonly Step[], options: Partial<IngestOptions> = {}) {
  const faults = await startFaults(env, steps);
  const reports = new IngestClient({
    ingestUrl: faults.url,
    key: env.key,
    app: { name: "shop", version: "4.2.0" },
    logger: discreet,
    ...options,
  });
  return { reports, ...faults };
}

/** Awaits the error that a call must end with: an error of the client, with no credential anywhere in it. */
export async function failure(promise: Promise<unknown>): Promise<IntakeError> {
  const [error] = await promise.then(
    (value) => {
      throw new Error(`it succeeded: ${JSON.stringify(value)}`);
    },
    (reason: unknown) => [reason],
  );
  ok(isIntakeError(error), `not an error of the client: ${String(error)}`);
  keepsSecrets(error, "the error");
  return error;
}

/** Faults found in callbacks of the client, where thrown errors are swallowed: the run fails when there are any. */
export const leaks: string[] = [];

/** A logger that checks what it receives. */
export const discreet = { debug: mind, info: mind, warn: mind, error: mind };

/** A logger that checks what it receives, and a promise that resolves when a wait between two tries begins. */
export function tellingWaits() {
  let begun = () => {};
  const waiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const debug = (message: string, fields: Record<string, unknown>) => {
    mind(message, fields);
    if ("waitMs" in fields) begun();
  };
  return { logger: { ...discreet, debug }, waiting };
}

/** The same, and the milliseconds that the client decided to wait before each further try: no machine is late there. */
export function notingWaits() {
  const decided: number[] = [];
  const debug = (message: string, fields: Record<string, unknown>) => {
    mind(message, fields);
    if ("waitMs" in fields) decided.push(Number(fields["waitMs"]));
  };
  return { logger: { ...discreet, debug }, decided };
}

function mind(message: string, fields: Record<string, unknown>) {
  try {
    keepsSecrets([message, fields], "the log");
  } catch (error) {
    leaks.push(String(error));
  }
}

/** The equation of `stats()` that has to hold at every moment. */
export function balanced({ captured, sent, queued, dropped }: Stats) {
  const given = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  equal(captured, sent + queued + given, "captured = sent + queued + dropped");
}

/** Sends one request to the control server. */
export async function ask<T>({ control }: Env, path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(control + path, init);
  if (!response.ok) throw new Error(`control ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/**
 * Polls the fault server until the condition holds; the time limit of the case ends the wait otherwise. What comes late is
 * asked for less and less often: Chromium closes the connection of a `keepalive` request only half a minute after its abort.
 */
export async function until({ record }: Faults, holds: (told: FaultRecord) => boolean): Promise<void> {
  for (let pauseMs = 5; !holds(await record()); pauseMs = Math.min(500, pauseMs * 1.2)) await sleep(pauseMs);
}

/**
 * What the promise gives; an error when that takes longer. The timer belongs to the same process as the client's: on a
 * busy machine both are late, and fire in their order.
 */
export async function inTime<T>(ms: number, given: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
  });
  return Promise.race([given, late]).finally(() => clearTimeout(timer));
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
