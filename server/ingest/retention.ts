import type { Cutoff } from "../core/cutoff.ts";
import { Periodic } from "../core/periodic.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import { readSettings, type SettingValues } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { deleteEnded, deleteWaiting } from "../webhooks/subscribers/delete-deliveries.ts";
import { forgetReceiptsStep } from "./deduplicate.ts";
import { type DeleteTools, deleteOldest } from "./delete-events.ts";

interface UsageRow extends Row {
  project_id: string;
  events: number;
  bytes: number;
}

const lookMilliseconds = 5_000;
const dayMilliseconds = 86_400_000;
/** Pause between two steps, in which other requests run. */
const pauseMilliseconds = 5;
const receiptChunk = 500;

/**
 * Deletes what exceeds the settings: events by age, count and bytes of their project, receipts after the window of
 * de-duplication, deliveries that ended long ago. Works in small steps, so that no write waits long. While the clock is
 * not trusted, nothing is deleted by age.
 */
export class Retention {
  readonly #tools: DeleteTools;
  readonly #cutoff: Cutoff;
  readonly #sweeping = new Periodic({
    turn: () => this.sweep(),
    every: lookMilliseconds,
    failed: "tidying up failed and will be tried again",
  });

  constructor(tools: DeleteTools, { cutoff }: { cutoff: Cutoff }) {
    this.#tools = tools;
    this.#cutoff = cutoff;
  }

  start() {
    this.#sweeping.start();
    void this.#sweeping.wake();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  /** Runs one turn: deletes step by step until nothing is left to delete. */
  async sweep(): Promise<void> {
    const settings = await readSettings(this.#tools.store);
    const projects = await this.#tools.store.all<UsageRow>(selectUsage);
    for (const project of projects) await this.#sweepProject(project, settings);
    await this.#forgetReceipts(this.#cutoff(settings.dedup_days * dayMilliseconds));
    const endedBefore = this.#cutoff(settings.delivery_days * dayMilliseconds);
    await this.#repeat(() => deleteEnded(this.#tools.store, endedBefore));
    const waitingSince = this.#cutoff(settings.retention_days * dayMilliseconds);
    await this.#repeat(() => deleteWaiting(this.#tools.store, waitingSince));
  }

  async #sweepProject({ project_id: id }: UsageRow, settings: SettingValues): Promise<void> {
    await this.#repeat(() => {
      const before = this.#cutoff(settings.retention_days * dayMilliseconds);
      return deleteOldest(this.#tools, id, { before });
    });
    await this.#repeat(async () => {
      const usage = await this.#usageOf(id);
      const count = settings.retention_events === null ? 0 : usage.events - settings.retention_events;
      const bytes = usage.bytes - settings.retention_bytes;
      return count <= 0 && bytes <= 0 ? 0 : deleteOldest(this.#tools, id, { count, bytes });
    });
  }

  async #usageOf(projectId: string): Promise<{ events: number; bytes: number }> {
    const row = await this.#tools.store.one<UsageRow>(selectUsageOf, [projectId]);
    return row ?? { events: 0, bytes: 0 };
  }

  async #forgetReceipts(until: number): Promise<void> {
    await this.#repeat(async () => {
      const due = await this.#tools.store.all<{ received_at: number }>(
        `select received_at from receipt where received_at <= $1 order by received_at limit ${receiptChunk}`,
        [until],
      );
      const last = due.at(-1);
      if (!last) return 0;
      await this.#tools.store.write((tx) => forgetReceiptsStep(tx, last.received_at));
      return due.length;
    });
  }

  async #repeat(step: () => Promise<number>): Promise<void> {
    while (!this.#sweeping.stopped && (await step()) > 0) await Bun.sleep(pauseMilliseconds);
  }
}

const selectUsage = withProjectUsage((usage) => `select project_id, events, bytes from ${usage}`);
const selectUsageOf = withProjectUsage((usage) => `select events, bytes from ${usage} where project_id = $1`);
