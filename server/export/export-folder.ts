import { constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { version } from "../../package.json";
import { GiveWay } from "../backup/give-way.ts";
import { syncFolder, writeDurably } from "../core/durable-file.ts";
import type { KeptFile } from "../store/files.ts";
import { ExportRefused } from "./export-refused.ts";
import {
  attachmentsName,
  type ExportedFile,
  fileNames,
  type LineFile,
  lineFiles,
  lockName,
  type Manifest,
  manifestName,
  type Progress,
  progressName,
  projectName,
  type StageName,
} from "./manifest.ts";
import { takeFolder, toTarget } from "./target-folder.ts";

/** Lines of a file that wait in memory. */
const bufferedBytes = 262_144;
/** Time and lines between two marks from which a later run goes on. */
const markMilliseconds = 2_000;
const markLines = 1_000;

/**
 * The folder that an export is written to. Lines go to files named `….partial` until all are there; `progress.json` says
 * up to where they are whole, so that a run after a kill cuts off the rest and goes on.
 */
export class ExportFolder {
  readonly #path: string;
  readonly #now: () => number;
  readonly #release: () => void;
  readonly #progress: Progress;
  readonly #files = new Map<LineFile, FileHandle>();
  readonly #waiting = new Map<LineFile, { text: string[]; bytes: number; lines: number }>();
  readonly #giveWay = new GiveWay();
  readonly #groups = new Set<string>();
  #markedAt = performance.now();
  #unmarkedLines = 0;

  private constructor(path: string, now: () => number, progress: Progress, release: () => void) {
    this.#path = path;
    this.#now = now;
    this.#progress = progress;
    this.#release = release;
  }

  /** `begin` makes the progress of an export that was not begun yet. */
  static async open(
    path: string,
    { projectId, now, begin }: { projectId: string; now: () => number; begin: () => Promise<Progress> },
  ): Promise<ExportFolder> {
    const { progress, release } = takeFolder(path, projectId);
    try {
      const folder = new ExportFolder(path, now, progress ?? (await begin()), release);
      if (!progress) folder.#writeProgress();
      for (const name of fileNames) await folder.#openFile(name);
      return folder;
    } catch (error) {
      release();
      throw error;
    }
  }

  get progress(): Readonly<Progress> {
    return this.#progress;
  }

  async close(): Promise<void> {
    for (const file of this.#files.values()) await file.close().catch(() => {});
    this.#files.clear();
    this.#release();
  }

  /** Writes a line. `text` is JSON without line ends. */
  async line(name: LineFile, text: string): Promise<void> {
    const waiting = this.#waiting.get(name) ?? { text: [], bytes: 0, lines: 0 };
    this.#waiting.set(name, waiting);
    waiting.text.push(text, "\n");
    waiting.bytes += Buffer.byteLength(text) + 1;
    waiting.lines++;
    this.#unmarkedLines++;
    if (waiting.bytes >= bufferedBytes) await this.#flush(name);
  }

  /** All lines up to these sort keys were given: a later run goes on after them. */
  async reached(stage: StageName, after: (string | number)[]): Promise<void> {
    const progress = this.#progress.stages[stage];
    const now = new Date(this.#now()).toISOString();
    progress.after = after;
    progress.readFrom ??= now;
    progress.readUntil = now;
    await this.#giveWay.pause();
    const due = performance.now() - this.#markedAt >= markMilliseconds || this.#unmarkedLines >= markLines;
    if (due) await this.#mark();
  }

  async done(stage: StageName): Promise<void> {
    await this.reached(stage, this.#progress.stages[stage].after);
    this.#progress.stages[stage].done = true;
    await this.#mark();
  }

  /** Writes the document of the project itself. */
  writeProject(value: object) {
    toTarget(this.#path, () => writeDurably(`${this.#path}/${projectName}`, `${JSON.stringify(value, null, 2)}\n`));
  }

  /**
   * Copies an attachment, and returns its path in the export. A file has its name once it is whole, so a later run copies
   * none twice.
   */
  async copy({ id, sha256 }: { id: string; sha256: string | null }, file: KeptFile): Promise<string> {
    const group = `${attachmentsName}/${id.slice(-2)}`;
    const path = `${this.#path}/${group}/${id}`;
    if (!this.#groups.has(group)) {
      toTarget(this.#path, () => mkdirSync(`${this.#path}/${group}`, { recursive: true, mode: 0o700 }));
      this.#groups.add(group);
    }
    const digest = existsSync(path) ? await digestOf(path) : await this.#copyTo(path, id, file);
    const { attachments } = this.#progress;
    attachments.files++;
    attachments.bytes += digest.bytes;
    if (sha256 !== null && digest.sha256 !== sha256) attachments.differing++;
    return `${group}/${id}`;
  }

  missing() {
    this.#progress.attachments.missing++;
  }

  /** Gives every file its name and writes the manifest, with which the export is complete. */
  async finish(): Promise<Manifest> {
    const { format, version: formatVersion, project, startedAt, stages, files, attachments } = this.#progress;
    const span = ({ readFrom = startedAt, readUntil = startedAt }: (typeof stages)[StageName]) => ({
      readFrom,
      readUntil,
    });
    const exported: ExportedFile[] = [
      { path: projectName, ...span(stages.project), ...(await this.#digest(projectName)) },
    ];
    for (const name of fileNames) {
      await this.#files.get(name)?.close();
      this.#files.delete(name);
      const partial = this.#pathOf(name);
      const path = `${this.#path}/${name}`;
      if (existsSync(partial)) await toTarget(this.#path, () => rename(partial, path));
      const { lines } = files[name];
      exported.push({ path: name, lines, ...span(stages[lineFiles[name]]), ...(await this.#digest(name)) });
    }
    const manifest: Manifest = {
      format,
      version: formatVersion,
      intake: version,
      project,
      startedAt,
      finishedAt: new Date(this.#now()).toISOString(),
      files: exported,
      attachments,
    };
    toTarget(this.#path, () => {
      for (const group of this.#groups) syncFolder(`${this.#path}/${group}`);
      if (existsSync(`${this.#path}/${attachmentsName}`)) syncFolder(`${this.#path}/${attachmentsName}`);
      writeDurably(`${this.#path}/${manifestName}`, `${JSON.stringify(manifest, null, 2)}\n`);
      for (const name of [progressName, lockName]) rmSync(`${this.#path}/${name}`, { force: true });
    });
    return manifest;
  }

  async #digest(name: string): Promise<{ bytes: number; sha256: string }> {
    const { bytes, sha256 } = await toTarget(this.#path, () => digestOf(`${this.#path}/${name}`));
    const expected = name in lineFiles ? this.#progress.files[name as LineFile].bytes : bytes;
    if (bytes === expected) return { bytes, sha256 };
    throw new ExportRefused(`${this.#path}/${name} was changed while it was written; remove the folder and begin anew`);
  }

  async #openFile(name: LineFile): Promise<void> {
    const { bytes } = this.#progress.files[name];
    // A run that was killed at its very end may have given the file its name already.
    const finished = `${this.#path}/${name}`;
    if (existsSync(finished) && !existsSync(this.#pathOf(name))) return;
    const path = this.#pathOf(name);
    const file = await toTarget(this.#path, () => open(path, constants.O_RDWR | constants.O_CREAT, 0o600));
    this.#files.set(name, file);
    const { size } = await file.stat();
    if (size < bytes) {
      throw new ExportRefused(`${path} is shorter than ${progressName} says; remove ${this.#path} and begin anew`);
    }
    await toTarget(this.#path, () => file.truncate(bytes));
  }

  #pathOf(name: LineFile): string {
    return `${this.#path}/${name}.partial`;
  }

  async #flush(name: LineFile): Promise<void> {
    const waiting = this.#waiting.get(name);
    const file = this.#files.get(name);
    if (!waiting || !file) return;
    this.#waiting.delete(name);
    const written = this.#progress.files[name];
    const bytes = Buffer.from(waiting.text.join(""));
    await toTarget(this.#path, () => writeAt(file, bytes, written.bytes));
    written.bytes += bytes.length;
    written.lines += waiting.lines;
  }

  /** Makes all lines durable, and then how far they go. */
  async #mark(): Promise<void> {
    for (const name of [...this.#waiting.keys()]) await this.#flush(name);
    for (const file of this.#files.values()) await toTarget(this.#path, () => file.datasync());
    this.#writeProgress();
    this.#markedAt = performance.now();
    this.#unmarkedLines = 0;
  }

  #writeProgress() {
    toTarget(this.#path, () => writeDurably(`${this.#path}/${progressName}`, JSON.stringify(this.#progress)));
  }

  async #copyTo(path: string, id: string, source: KeptFile): Promise<{ bytes: number; sha256: string }> {
    const draft = `${path}.partial`;
    const hash = new Bun.CryptoHasher("sha256");
    let bytes = 0;
    const file = await toTarget(this.#path, () => open(draft, "w", 0o600));
    try {
      const chunks = chunksOf(source, id);
      for await (const chunk of chunks) {
        hash.update(chunk);
        await toTarget(this.#path, () => writeAt(file, chunk, bytes));
        bytes += chunk.length;
        await this.#giveWay.pause();
      }
      await toTarget(this.#path, () => file.datasync());
    } finally {
      await file.close();
    }
    await toTarget(this.#path, () => rename(draft, path));
    return { bytes, sha256: hash.digest("hex") };
  }
}

/** A file that storage does not give says so with its id; a target that refuses has words of its own. */
async function* chunksOf(source: KeptFile, id: string): AsyncGenerator<Uint8Array> {
  try {
    const opened = await source.open(0, source.size);
    for await (const chunk of opened instanceof Blob ? opened.stream() : opened) yield chunk;
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    throw new ExportRefused(
      `the attachment ${id} cannot be read (${code ?? message}); run the same command again: it goes on`,
    );
  }
}

async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function digestOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
