import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { log } from "../core/log.ts";
import { rulesOff } from "../core/notice-settings.ts";
import { Periodic } from "../core/periodic.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl, readSettings, type SettingValues } from "../core/settings.ts";
import type { Step, Store } from "../core/store.ts";
import { applyStep, selectConcerned } from "./apply.ts";
import { changesOf, type Looked } from "./changes.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { Outages } from "./outages.ts";
import { removeOldNotices } from "./remove-old.ts";
import type { Here, LookTools, Rule } from "./rule.ts";
import { rules } from "./rules.ts";

const lookMilliseconds = 5_000;
const sweepMilliseconds = 3_600_000;

interface NoticeTools extends Pick<Context, "now" | "newId" | "publicUrl" | "changed"> {
  store: Store;
  /** The store for what one process does for all. */
  storeOfDuty: Store;
  cutoff: Cutoff;
  /** Seals mails to admins. */
  sealing: Sealing;
  space: LookTools["space"];
  outages: Outages;
  /** Why object storage does not work at the moment, if it does not. */
  filesTrouble: () => string | undefined;
  here: Here;
  /** Called when messages wait to be sent. */
  enqueued: () => void;
}

/** Looks by every rule, every few seconds, and raises and clears notices. All of it is behind tickets and reports. */
export class Notices {
  readonly #tools: NoticeTools;
  /** What each process looks for by itself. */
  readonly local: Periodic;
  readonly #shared: Periodic;
  /** Removes what is kept no longer. */
  readonly #sweeping: Periodic;
  /** What one process does on behalf of all. */
  readonly shared = {
    start: () => {
      this.#shared.start();
      this.#sweeping.start();
    },
    stop: async () => {
      await Promise.all([this.#shared.stop(), this.#sweeping.stop()]);
    },
  };

  constructor(tools: NoticeTools, { every = lookMilliseconds }: { every?: number } = {}) {
    this.#tools = tools;
    const failed = "notices could not be looked for and will be tried again";
    const looking = (store: Store, some: readonly Rule[]) =>
      new Periodic({ turn: () => this.#look(store, some), every, failed });
    this.local = looking(
      tools.store,
      rules.filter(({ everyProcess }) => everyProcess),
    );
    this.#shared = looking(
      tools.storeOfDuty,
      rules.filter(({ everyProcess }) => !everyProcess),
    );
    this.#sweeping = new Periodic({
      turn: () => removeOldNotices(tools.storeOfDuty, { now: tools.now(), cutoff: tools.cutoff }),
      every: sweepMilliseconds,
      failed: "old notices were not removed",
    });
  }

  /** Looks now, by every rule. Never rejects. */
  async look(): Promise<void> {
    await Promise.all([this.local.wake(), this.#shared.wake()]);
  }

  async #look(store: Store, some: readonly Rule[]): Promise<void> {
    const { outages, filesTrouble, here, now: clock } = this.#tools;
    const now = clock();
    const trouble = store.trouble();
    // That storage does not commit was noted when it began.
    if (trouble === undefined) outages.note(filesTrouble(), now);
    const [rows, settings] = await Promise.all([store.all<NoticeRow>(selectConcerned), readSettings(store)]);
    const off = rulesOff(settings.notices_off);
    const outage = outages.latest;
    const tools = { store, now, settings, space: this.#tools.space, outage, here };
    const looked: Looked[] = [];
    const unnoticed: ((tx: Parameters<typeof applyStep>[0]) => Step<void>)[] = [];
    for (const rule of some) {
      const isOff = off.has(rule.name);
      const findings = isOff && !rule.momentary ? [] : await this.#findings(rule, rows, tools);
      if (findings === undefined) continue;
      if (isOff) unnoticed.push(...findings.flatMap(({ noticedStep }) => noticedStep ?? []));
      looked.push({ rule, findings: isOff ? [] : findings, off: isOff });
    }
    // While nothing can be committed, the outage is remembered.
    if (trouble !== undefined) return;
    const needed = unnoticed.length > 0 || changesOf(rows, looked, { now, here }).length > 0;
    if (needed) await this.#apply(store, looked, unnoticed, { now, settings });
    if (outage && some.some(({ name }) => name === "storage_refuses")) outages.told(outage);
  }

  /** Undefined when the rule could not look. */
  async #findings(rule: Rule, rows: readonly NoticeRow[], tools: Omit<LookTools, "open">) {
    const open = (subject: string) =>
      rows.find((row) => row.rule === rule.name && row.subject === subject && row.cleared_at === null);
    try {
      return await rule.look({ ...tools, open });
    } catch (error) {
      log.warn("a rule of notices could not look", { rule: rule.name, error });
      return undefined;
    }
  }

  async #apply(
    store: Store,
    looked: readonly Looked[],
    unnoticed: readonly ((tx: Parameters<typeof applyStep>[0]) => Step<void>)[],
    { now, settings }: { now: number; settings: SettingValues },
  ): Promise<void> {
    const { newId, here, sealing, changed, enqueued, publicUrl } = this.#tools;
    const tools = { now, newId, here, sealing, settings, publicUrl: await readPublicUrl(store, publicUrl) };
    const ids = await store.write(function* (tx) {
      for (const step of unnoticed) yield* step(tx);
      return yield* applyStep(tx, looked, tools);
    });
    for (const id of ids) changed?.({ kind: "notice", id });
    if (ids.length > 0) enqueued();
  }
}
