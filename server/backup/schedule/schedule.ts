import { rmSync } from "node:fs";
import {
  type BackupOrigin,
  backupsPrunedStep,
  backupVerifiedStep,
  beginBackupTryStep,
  endBackupTryStep,
  endInterruptedTriesStep,
  readTriesTo,
} from "../../core/backup-tries.ts";
import { log } from "../../core/log.ts";
import { Periodic } from "../../core/periodic.ts";
import { readSettings } from "../../core/settings.ts";
import type { Store } from "../../core/store.ts";
import { scratchForVerify } from "../target-folder.ts";
import { type CommandEnd, runBackupCommand } from "./backup-command.ts";
import { nextBackupAt, verifyIsDue } from "./due.ts";

/** What the schedule does at the moment. */
interface BackupWork {
  doing: "create" | "prune" | "verify";
  /** Epoch milliseconds. */
  since: number;
  /** How far it is, as the command tells it; empty at first. */
  progress: string;
}

/** What the schedule goes by. */
interface BackupPlan {
  /** Undefined when no backups are made. */
  to: string | undefined;
  everyHours: number;
  keep: string;
}

interface Tools {
  store: Store;
  /** The data directory. */
  folder: string;
  now: () => number;
  /** The target that the environment names; it takes precedence over the setting. */
  fixedTo: string | undefined;
  /** Called when what {@link BackupSchedule.working} or the table of tries tells is no longer the same. */
  changed: () => void;
  run?: typeof runBackupCommand;
  monotonic?: () => number;
}

const lookMilliseconds = 20_000;
/** Tries of the schedule to one target begin at least this far apart, whatever the clock says. */
const apartMilliseconds = 60_000;
const toldMilliseconds = 1_000;

/**
 * Makes a backup whenever one is due by the settings, removes older ones by the rule, and reads the newest back once a
 * day. All of it is done by commands, one after the other; how they ended stands in the table of tries.
 */
export class BackupSchedule {
  readonly #tools: Tools;
  readonly #monotonic: () => number;
  readonly #looking = new Periodic({
    turn: () => this.#turn(),
    every: lookMilliseconds,
    failed: "backups could not be looked after and will be tried again",
  });
  #working: BackupWork | undefined;
  #command: ReturnType<typeof runBackupCommand> | undefined;
  #asked: BackupOrigin | undefined;
  #begun = { to: "", at: Number.NEGATIVE_INFINITY };
  #toldAt = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#monotonic = tools.monotonic ?? (() => performance.now());
  }

  async start(): Promise<void> {
    const { store, now } = this.#tools;
    if (await store.one("select 1 as found from backup_try where ended_at is null")) {
      await store.write((tx) => endInterruptedTriesStep(tx, now()));
    }
    this.#looking.start();
    void this.#looking.wake();
  }

  async stop(): Promise<void> {
    const ended = this.#looking.stop();
    await this.#command?.stop();
    await ended;
  }

  /** What is being done; undefined between two backups. */
  get working(): BackupWork | undefined {
    return this.#working;
  }

  /** Tries that have failed since the start, and backups that were not sound. */
  get failures(): number {
    return this.#failures;
  }

  /** The target that the environment of the server names. */
  get fixedTo(): string | undefined {
    return this.#tools.fixedTo;
  }

  async plan(): Promise<BackupPlan> {
    const { backup_to, backup_every, backup_keep } = await readSettings(this.#tools.store);
    return { to: this.#tools.fixedTo ?? backup_to ?? undefined, everyHours: backup_every, keep: backup_keep };
  }

  /** When the next backup is due, in epoch milliseconds; undefined when none is planned. */
  async nextAt(): Promise<number | undefined> {
    const { to, everyHours } = await this.plan();
    if (to === undefined) return undefined;
    const { tries } = await readTriesTo(this.#tools.store, to);
    return nextBackupAt(tries, everyHours, this.#tools.now());
  }

  /** Makes a backup now, unless one is being made. */
  backUpNow(origin: BackupOrigin) {
    if (this.#working?.doing === "create") return;
    this.#asked = origin;
    void this.#looking.wake();
  }

  /** Looks at the settings again; resolves when what is due then was done. */
  async look(): Promise<void> {
    if (!this.#working) await this.#looking.wake();
  }

  async #turn(): Promise<void> {
    const { store, now } = this.#tools;
    const plan = await this.plan();
    const asked = this.#asked;
    this.#asked = undefined;
    const { to, everyHours } = plan;
    if (to === undefined) return;
    const { tries } = await readTriesTo(store, to);
    const due = now() >= nextBackupAt(tries, everyHours, now());
    const apart = to !== this.#begun.to || this.#monotonic() - this.#begun.at >= apartMilliseconds;
    try {
      const made = asked || (due && apart) ? await this.#create(asked ?? "schedule", to) : undefined;
      await this.#verify(to, everyHours);
      if (made !== undefined) await this.#prune(made, to, plan.keep);
    } finally {
      this.#working = undefined;
      this.#tools.changed();
    }
  }

  /** Returns the number of the try when a backup was made. */
  async #create(origin: BackupOrigin, to: string): Promise<number | undefined> {
    const { store, folder, now } = this.#tools;
    this.#begun = { to, at: this.#monotonic() };
    const startedAt = now();
    const number = await store.write(function* (tx) {
      // One whose end could not be stored, such as on a full disk.
      yield* endInterruptedTriesStep(tx, startedAt);
      return yield* beginBackupTryStep(tx, { origin, target: to, startedAt });
    });
    const end = await this.#run("create", ["backup", "create", "--data", folder, "--to", to]);
    if (end === "stopped") {
      await store.write((tx) => endInterruptedTriesStep(tx, now()));
      return undefined;
    }
    const made = "result" in end ? madeBackup(end.result) : end;
    await store.write((tx) => endBackupTryStep(tx, number, { endedAt: now(), ...made }));
    if ("failure" in made) {
      this.#failed("no backup was made", made.failure);
      return undefined;
    }
    log.info("made a backup", { id: made.backupId, bytes: made.bytes, addedBytes: made.addedBytes });
    return number;
  }

  /** Removes older backups, but not the newest one that was read back: only of that it is known that it is sound. */
  async #prune(number: number, to: string, keep: string): Promise<void> {
    const { store } = this.#tools;
    const { verified } = await readTriesTo(store, to);
    const stays = verified ? ["--keep-id", verified.backupId] : [];
    const pruned = await this.#run("prune", ["backup", "prune", to, "--keep", keep, ...stays]);
    if (pruned === "stopped" || "result" in pruned) return;
    await store.write((tx) => backupsPrunedStep(tx, number, pruned.failure));
    this.#failed("older backups were not removed", pruned.failure);
  }

  /** Reads the newest backup back when that is due; once, also when it is not sound. */
  async #verify(to: string, everyHours: number): Promise<void> {
    const { store, folder, now } = this.#tools;
    const { made, verified } = await readTriesTo(store, to);
    if (!made || made.verifiedAt !== null || made.verifyFailure !== null) return;
    if (!verifyIsDue(made, verified, everyHours)) return;
    const { backupId } = made;
    const scratch = scratchForVerify(to, folder);
    // What a killed run has left.
    rmSync(scratch, { recursive: true, force: true });
    const end = await this.#run("verify", ["backup", "verify", to, "--id", backupId, "--scratch", scratch]);
    rmSync(scratch, { recursive: true, force: true });
    if (end === "stopped") return;
    const failure = "failure" in end ? end.failure : null;
    await store.write((tx) => backupVerifiedStep(tx, backupId, { at: now(), failure }));
    if (failure === null) log.info("a backup was read back and is sound", { id: backupId });
    else this.#failed("a backup could not be read back", failure);
  }

  async #run(doing: BackupWork["doing"], args: string[]): Promise<CommandEnd> {
    if (this.#looking.stopped) return "stopped";
    const working: BackupWork = { doing, since: this.#tools.now(), progress: "" };
    this.#working = working;
    this.#tools.changed();
    this.#command = (this.#tools.run ?? runBackupCommand)(args, (text) => {
      working.progress = text;
      if (this.#monotonic() - this.#toldAt < toldMilliseconds) return;
      this.#toldAt = this.#monotonic();
      this.#tools.changed();
    });
    try {
      const end = await this.#command.ended;
      // Killed because it did not stop, or failed on its way to it.
      return this.#looking.stopped && typeof end === "object" && "failure" in end ? "stopped" : end;
    } finally {
      this.#command = undefined;
    }
  }

  #failed(message: string, reason: string) {
    this.#failures++;
    log.warn(message, { reason });
  }
}

function madeBackup(result: unknown) {
  const { id, asOf, bytes, addedBytes } = result as { id: string; asOf: string; bytes: number; addedBytes: number };
  return { backupId: id, asOf: Date.parse(asOf), bytes, addedBytes };
}
