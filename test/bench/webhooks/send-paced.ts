import { contentType } from "../ingest/multipart.ts";
import { reportBodies } from "./reports.ts";

export interface Sent {
  /** Undefined when it was not answered 200. */
  eventId: string | undefined;
  /** Epoch milliseconds, when the answer began. */
  answeredAt: number;
  /** From when it was to be sent; one that was sent late has waited too. */
  milliseconds: number;
}

interface Pace {
  perSecond: number;
  seconds: number;
}

/** Sends reports at a fixed pace, whether the ones before are answered or not. In the order of sending. */
export async function sendPaced(
  { url, token }: { url: string; token: string },
  { perSecond, seconds }: Pace,
): Promise<Sent[]> {
  const next = reportBodies();
  const headers = { authorization: `Bearer ${token}`, "content-type": contentType };
  const sent: Promise<Sent>[] = [];
  const began = performance.now();
  const dueAt = (i: number) => began + (i * 1000) / perSecond;
  while (sent.length < perSecond * seconds) {
    while (sent.length < perSecond * seconds && dueAt(sent.length) <= performance.now()) {
      sent.push(sendOne(dueAt(sent.length)));
    }
    await Bun.sleep(1);
  }
  return Promise.all(sent);

  async function sendOne(due: number): Promise<Sent> {
    const response = await fetch(`${url}/api/ingest`, { method: "POST", headers, body: next() });
    const now = performance.now();
    const { eventId } = (await response.json()) as { eventId?: string };
    return { eventId, answeredAt: performance.timeOrigin + now, milliseconds: now - due };
  }
}
