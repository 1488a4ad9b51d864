import { IngestClient, type IngestOptions } from "@intake/client/ingest";
import { ok } from "./check.ts";
import type { Env } from "./env.ts";
import { ask, discreet } from "./kit.ts";

/** A client with an SDK key of its own that talks to the compiled binary. */
export async function reportsOf(env: Env, options: Partial<IngestOptions> = {}) {
  const { id, key } = await ask<{ id: string; key: string }>(env, "/keys", { method: "POST", body: "{}" });
  const app = { name: "shop", version: "4.2.0" };
  const reports = new IngestClient({ ingestUrl: env.ingestUrl, key, app, logger: discreet, ...options });
  return { reports, id, key };
}

interface Stored {
  id: string;
  reportId: string;
  type: string;
  title: string;
  level: string;
  release: string;
  environment: string;
  repeatCount: number;
  warnings: unknown[];
  /** As the page draws them. */
  exceptions: { type: string | null; message: string | null; frames: unknown[]; text: string | null }[];
  attachments: {
    part: string;
    filename: string;
    contentType: string;
    kind: string;
    size: number;
    sha256: string;
    state: string;
  }[];
}

export const event = (env: Env, id: string) => ask<Stored>(env, `/events/${id}`);
export const envelope = (env: Env, id: string) => ask<Record<string, unknown>>(env, `/events/${id}/envelope`);

export async function attachment(env: Env, id: string, index: number): Promise<number[]> {
  const response = await fetch(`${env.control}/events/${id}/attachments/${index}`);
  ok(response.ok, `attachment ${index}: ${response.status}`);
  return [...new Uint8Array(await response.arrayBuffer())];
}
