import { flushOnHide } from "@intake/client/browser";
import { IngestClient, type IngestOptions } from "@intake/client/ingest";
import { indexedDbStore } from "@intake/client/queue";

export interface TabOptions extends IngestOptions {
  sendsWhenHidden?: boolean;
}

/** What a tab of the tests offers to the test that drives it. */
export interface Tab {
  /** Starts a client that keeps its reports in IndexedDB. */
  begin(options: TabOptions): void;
  /** Captures a report with an attachment of this many random bytes. */
  capture(title: string, bytes: number): string;
  reports: IngestClient;
}

const tab: Pick<Tab, "begin" | "capture"> & Partial<Tab> = {
  begin({ sendsWhenHidden, ...options }) {
    tab.reports = new IngestClient({ ...options, store: indexedDbStore() });
    if (sendsWhenHidden) flushOnHide(tab.reports);
  },
  capture(title, bytes) {
    const data = new Uint8Array(bytes);
    for (let at = 0; at < bytes; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536));
    return tab.reports?.capture({ title }, bytes ? { attachments: [{ filename: "noise", data }] } : {}) ?? "";
  },
};
Object.assign(globalThis, { tab });
