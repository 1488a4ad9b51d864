import { reasonOf } from "../core/redact.ts";
import { logTo } from "../core/send-with-retries.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { requestOf } from "./multipart-form.ts";
import { type QueueStore, readRecordName, recordName } from "./queue-store.ts";
import type { Persist, Waiting } from "./report-queue.ts";
import { setUnrefTimeout } from "./unref-timer.ts";

/** A {@link QueueStore} that a client can be given as `store`. */
export interface PersistentStore extends QueueStore {
  /** Connects the store with a client's queue; set by `persistent`. */
  persist: Persist;
}

/** A report that the store has. */
type Kept = Waiting & { name: string };

/**
 * Makes a store usable as the option `store` of a client. What `indexedDbStore`, `fileStore` and `asyncStorageStore`
 * return is so already.
 *
 * ```ts
 * const reports = new IngestClient({ ingestUrl, key, store: persistent({ names, read, write, remove }) });
 * ```
 */
export function persistent<Store extends QueueStore>(store: Store): Store & PersistentStore {
  return Object.assign(store, { persist });
}

const persist: Persist = (store, queue) => {
  const { options, timeoutMs, maxReports } = queue;
  /** Names of records that are delivered or dropped; the store may still contain them. */
  const done = new Set<string>();
  let captured = 0;
  /** Whether another tab or process was sending from the store in the last round. */
  let contested = false;

  /** Calls the store; undefined when it fails or hangs, so that the queue goes on in memory. */
  const callStore = <T>(call: () => Promise<T> | undefined) =>
    withTimeout(timeoutMs, undefined, async () => call()).catch((error) => {
      void logTo(options.logger, "warn", "the store failed", { reason: reasonOf(error) });
      return undefined;
    });

  const forget = async (name: string) => {
    done.add(name);
    await callStore(() => store.remove(name));
  };

  /** Adds to the queue what the store has from an earlier page or process, or from another tab. */
  const readStore = async () => {
    const kept = queue._waiting().filter((one): one is Kept => !!one.name);
    const names = await callStore(async () => new Set((await store.names()) ?? kept.map(({ name }) => name)));
    if (!names) return;
    for (const one of kept) {
      if (names.has(one.name)) continue;
      // The record is gone: another tab or process has sent the report, or else the store was emptied.
      if (contested || !one._form) (await queue._take(one)) && queue._tally.sent();
      else delete (one as Waiting).name;
    }
    for (const name of done) if (!names.has(name)) done.delete(name);
    const waiting = queue._waiting();
    const known = new Set(waiting.map(({ reportId }) => reportId));
    const older = waiting.filter((one) => !one._packed);
    for (const name of [...names].sort()) {
      const record = readRecordName(name);
      // Records beyond the limit are added once there is room for them.
      if (!record || done.has(name) || known.has(record.reportId) || older.length >= maxReports) continue;
      queue._tally.captured();
      older.push({ ...record, name, _drops: {} });
    }
    queue._waiting([...older, ...waiting.filter((one) => one._packed)]);
  };

  const opened = readStore();

  return {
    _opened: opened,

    async _save(one, form) {
      const count = captured++;
      // The reports of the store come first: they are older, so the limit of the queue hits the newer ones.
      await opened;
      if (queue._waiting().indexOf(one) >= maxReports) return queue._giveUp(one, "queue_full");
      const name = recordName(one, count);
      if (!(await callStore(() => store.write(name, form).then(() => true)))) return;
      one.name = name;
      if (!queue._waiting().includes(one)) await forget(name);
    },

    async _load(one) {
      const { name } = one;
      if (!name) return;
      // Copied, because a store may return a view of a larger buffer, and the whole buffer would be sent.
      one._form ??= await callStore(async () => new Uint8Array((await store.read(name)) ?? []));
      // The record could not be read now. It stays in the store: the next page or process may be able to read it.
      if (!one._form && done.add(name)) delete one.name;
      if (one._form?.length !== one.size || !requestOf(one._form, options.native)) await queue._giveUp(one, "storage");
    },

    _forget: forget,

    async _round(sendAll) {
      const readAndSend = async () => {
        await readStore();
        await sendAll();
      };
      let begun = false;
      const mine = await new Promise<boolean | undefined>((resolve) => {
        // A store that does not answer in time is not waited for.
        const cancel = setUnrefTimeout(Math.min(timeoutMs, 2e9), () => begun || resolve(undefined));
        const locked = async () =>
          store.exclusive?.(() => {
            begun = true;
            return readAndSend();
          });
        void locked()
          .catch(() => begun || undefined)
          .then(resolve)
          .finally(cancel);
      });
      if (mine === undefined) await readAndSend();
      contested = mine === false;
      // A tab or process that does not send looks every second whether the sending one has finished.
      return contested ? 1_000 : undefined;
    },
  };
};
