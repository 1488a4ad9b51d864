import { IngestClient } from "@intake/client/ingest";
import { fileStore } from "@intake/client/node";
import type { Task } from "./process.ts";

/** Runs in a process of its own: does what the environment says, and prints a line for each result. */
const { url, key, folder, act, count = 1, bytes = 0 } = JSON.parse(process.env["TASK"] ?? "") as Task;
const store = folder === undefined ? {} : { store: fileStore(folder) };
const options = { ingestUrl: url, key, timeoutMs: 60_000, ...store };

switch (act) {
  case "capture": {
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const noting = (...request: Parameters<typeof fetch>) => fetch(...request).finally(answered);
    const reports = new IngestClient({ ...options, fetch: noting as never });
    reports.capture({ title: "waits" });
    await isAnswered;
    await reports.flush(500);
    say({ queued: reports.stats().queued });
    break;
  }
  case "deliver": {
    const reports = new IngestClient(options);
    for (let index = 0; index < count; index++) say(capture(reports, index));
    do await reports.flush(5_000);
    while (reports.stats().queued > 0);
    say(reports.stats());
    break;
  }
  case "go on": {
    const reports = new IngestClient(options);
    for (let index = 0; index < count; index++) {
      say(capture(reports, index));
      await turn();
    }
    // It lives until it is killed.
    for (;;) await turn(1_000);
  }
  case "many": {
    const reports = new IngestClient({ ...options, queue: { maxReports: 5_000, maxBytes: 2_000_000 } });
    await captureMany(reports, 2_000);
    const before = await bytesInUse();
    await captureMany(reports, 8_000);
    const { queued, dropped } = reports.stats();
    say({ queued, dropped: dropped.queue_full, grownBytes: (await bytesInUse()) - before });
  }
}

function capture(reports: IngestClient, index: number): string {
  const data = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536));
  return reports.capture({ title: `${index}` }, bytes ? { attachments: [{ filename: "noise", data }] } : {});
}

async function captureMany(reports: IngestClient, many: number) {
  for (let index = 0; index < many; index++) {
    reports.capture({ title: `${index}` }, { attachments: [{ filename: "zeros", data: new Uint8Array(99_000) }] });
    if (index % 100 === 99) await turn();
  }
  // What is too much shows when it is packed.
  while (reports.stats().queued > 20) await turn();
}

async function bytesInUse(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void };
  // Memory that one garbage collection finds unused is freed by the next one.
  for (let round = 0; round < 4; round++) {
    gc?.();
    await turn();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function turn(ms = 1): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function say(value: unknown) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
