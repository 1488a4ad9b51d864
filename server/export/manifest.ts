export const manifestFormat = "intake-project-export";
/** Raised when something in an export is removed or changes its meaning; members and files may be added without it. */
export const manifestVersion = 1;

export const manifestName = "manifest.json";
export const progressName = "progress.json";
export const lockName = "lock.db";
export const projectName = "project.json";
export const attachmentsName = "attachments";

/** Every file with lines, with what reads it. */
export const lineFiles = {
  "tickets.jsonl": "tickets",
  "activity.jsonl": "tickets",
  "runs.jsonl": "tickets",
  "run-logs.jsonl": "tickets",
  "reports.jsonl": "reports",
} as const;
export type LineFile = keyof typeof lineFiles;
export const fileNames = Object.keys(lineFiles) as LineFile[];

/** What is read one after the other. */
export type StageName = "project" | "tickets" | "reports";

/** The first and the last moment at which lines were read, ISO 8601. */
interface Span {
  readFrom: string;
  readUntil: string;
}

export interface ExportedFile extends Span {
  path: string;
  /** Undefined for a file that is one JSON document. */
  lines?: number;
  bytes: number;
  sha256: string;
}

interface AttachmentCounts {
  files: number;
  bytes: number;
  /** Attachments of which storage has no file, although it once had. */
  missing: number;
  /** Files whose bytes are not those of their row; they were copied as they are. */
  differing: number;
}

/** An export is complete once its manifest is there, which is written last. */
export interface Manifest {
  format: typeof manifestFormat;
  version: typeof manifestVersion;
  intake: string;
  project: { id: string; name: string };
  startedAt: string;
  finishedAt: string;
  files: ExportedFile[];
  attachments: AttachmentCounts;
}

/** How far a stage is. */
interface StageProgress extends Partial<Span> {
  /** The sort keys of the last one that was written with all that belongs to it. */
  after: (string | number)[];
  done: boolean;
}

/** What a later run goes on from. Bytes of a file beyond those named here are of a run that was killed. */
export interface Progress {
  format: typeof manifestFormat;
  version: typeof manifestVersion;
  project: { id: string; name: string };
  startedAt: string;
  /** The last ticket and the last report there were at the start: later ones are not in the export. */
  last: Record<Exclude<StageName, "project">, string>;
  stages: Record<StageName, StageProgress>;
  files: Record<LineFile, { lines: number; bytes: number }>;
  attachments: AttachmentCounts;
}
