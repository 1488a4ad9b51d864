import type { NoticeRuleName } from "../core/notice-settings.ts";
import type { SettingName, SettingValues } from "../core/settings.ts";
import type { Reader, Step, Tx } from "../core/store.ts";
import type { Outage } from "./outages.ts";

/** How much a notice matters: `error` where something is refused or lost, `warning` where it soon may be. */
export type NoticeLevel = "error" | "warning" | "info";

/** Names this machine, and this process by machine and data directory. Both are empty where no other uses the store. */
export interface Here {
  machine: string;
  process: string;
}

/** What a rule looks at. */
export interface LookTools {
  store: Reader;
  /** Epoch milliseconds. */
  now: number;
  settings: SettingValues;
  /** Room on the disk of this process. */
  space: () => { bytes: number; size: number };
  /** The outage of storage that is under way, or the last one that no notice tells of. */
  outage: Outage | undefined;
  here: Here;
  /** The notice about a subject that is open; undefined when there is none. */
  open: (subject: string) => { count: number } | undefined;
}

/** A cause that was found. */
export interface Finding {
  subject: string;
  /** Null for the whole installation. */
  projectId: string | null;
  /** What people call the subject. */
  name: string | null;
  /** What was found, as a sentence. */
  text: string;
  count?: number;
  /** The page where something can be done. */
  path: string;
  /** When it began, where that is known better than the time of the look (epoch milliseconds). */
  since?: number;
  /** Runs in the write that stores the notice. Of a momentary rule that is off it runs without a notice. */
  noticedStep?: (tx: Tx) => Step<void>;
}

/** A rule by which notices are raised and cleared. Each has its own file; `rules.ts` lists them. */
export interface Rule {
  name: NoticeRuleName;
  title: string;
  level: NoticeLevel;
  /** What it means, and what to do, as sentences. */
  about: string;
  remedy: string;
  /** The setting with the threshold. */
  threshold?: SettingName;
  /** Each process looks for itself; otherwise one looks for all. */
  everyProcess?: true;
  /** What is found has happened and does not last: its notice ends by itself after a day, or when it is dismissed. */
  momentary?: true;
  /** Returns every cause that there is now. What it throws leaves the notices of the rule as they are. */
  look: (tools: LookTools) => readonly Finding[] | Promise<readonly Finding[]>;
}
