import { call } from "../../support/call.ts";
import { attachment, envelope, type PartInput, received } from "../../support/ingest.ts";
import type { Target } from "../../support/targets.ts";

/** Reads what a page reads; fails when it does not exist. */
export async function read<T>(target: Pick<Target, "send">, cookie: string, path: string): Promise<T> {
  const { status, body } = await call(target, "GET", path, { cookie });
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
  return body as T;
}

/** Sends a report with a report id of its own, as an app does, with files by name. Returns the id of its event. */
export async function report(
  target: Target,
  members: Record<string, unknown>,
  files: { name: string; body: string | Uint8Array; type?: string }[] = [],
): Promise<string> {
  const parts: PartInput[] = [
    envelope({ reportId: crypto.randomUUID(), ...members }),
    ...files.map(({ name, body, type }, i) => attachment(body, i, { filename: name, ...(type ? { type } : {}) })),
  ];
  return (await received(target, { key: target.installation.made.sdkKey.key, parts })).eventId;
}
