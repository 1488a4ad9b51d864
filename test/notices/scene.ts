import { cutoffBy } from "../../server/core/cutoff.ts";
import { Sealing } from "../../server/core/sealing.ts";
import { setSetting } from "../../server/core/settings.ts";
import { EnvelopeReader } from "../../server/envelope/envelope-reader.ts";
import type { NoticeRow } from "../../server/notices/notice-row.ts";
import { Notices } from "../../server/notices/notices.ts";
import { Outages } from "../../server/notices/outages.ts";
import { ReportIndex } from "../../server/reports/report-index.ts";
import { subscribe } from "../support/deliveries.ts";
import type { Installation } from "../support/installation.ts";

export const minute = 60_000;
export const hour = 60 * minute;

/** An installation with a clock and a disk of its own, that is looked at by every rule when a test says so. */
export class Scene {
  now = Date.now();
  disk = { bytes: 50, size: 100 };
  filesTrouble: string | undefined;
  readonly sealing = new Sealing(new Uint8Array(32));
  readonly outages = new Outages();
  readonly installation: Installation;
  changed: string[] = [];
  #notices: Notices;

  constructor(installation: Installation, machine = "") {
    this.installation = installation;
    this.#notices = this.restarted(machine);
  }

  /** Another process, or the same one after a restart. */
  restarted(machine = "", process = "1"): Notices {
    const { store, newId, publicUrl } = this.installation.ctx;
    const now = () => this.now;
    this.#notices = new Notices({
      ...{ store, storeOfDuty: store, now, newId, publicUrl, outages: this.outages },
      here: { machine, process: machine === "" ? "" : `${machine} ${process}` },
      sealing: this.sealing,
      cutoff: cutoffBy(now),
      space: () => this.disk,
      filesTrouble: () => this.filesTrouble,
      changed: ({ id }) => this.changed.push(id),
      enqueued: () => {},
    });
    return this.#notices;
  }

  look(): Promise<void> {
    return this.#notices.look();
  }

  async lookAfter(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    await this.look();
  }

  /** A subscriber of all projects that is told of notices. */
  async listener(): Promise<string> {
    return (await subscribe(this.installation, { projectId: null, types: ["notice.raised", "notice.cleared"] })).id;
  }

  /** What was told, oldest first: `raised disk_low`. */
  async told(): Promise<string[]> {
    const rows = await this.installation.ctx.store.all<{ head: string }>(
      "select head from message where type in ('notice.raised', 'notice.cleared') order by id",
    );
    return rows.map(({ head }) => {
      const { type, data } = JSON.parse(head) as { type: string; data: { rule: string } };
      return `${type.slice("notice.".length)} ${data.rule}`;
    });
  }

  async notices(where = "1 = 1"): Promise<NoticeRow[]> {
    const sql = `select * from notice where ${where} order by raised_at, id`;
    // The rows of PostgreSQL are objects of another kind, which a test cannot compare.
    return (await this.installation.ctx.store.all<NoticeRow>(sql)).map((row) => ({ ...row }));
  }

  open(): Promise<string[]> {
    return this.notices("cleared_at is null").then((rows) => rows.map(({ rule }) => rule));
  }

  async set(name: string, value: string): Promise<void> {
    await setSetting({ ctx: this.installation.ctx, input: { name, value } });
  }

  /** Brings every stored report into the index, where titles of fatal ones are noted. */
  async index(): Promise<void> {
    const { store } = this.installation.ctx;
    const reader = new EnvelopeReader();
    const index = new ReportIndex({ store, reader, now: () => this.now });
    await index.start();
    await index.finish();
    await index.stop();
    reader.close();
  }
}
