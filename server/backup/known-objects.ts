import type { StoredObject } from "./stored-object.ts";
import type { BackupTarget } from "./target.ts";

/** Groups that are held at once. The files of attachments are asked for in the order of the groups. */
const groupsMax = 2;

/** What a target has, listed group by group when it is asked for: one request tells of a thousand objects. */
export class KnownObjects {
  readonly #target: BackupTarget;
  readonly #groups = new Map<string, Promise<Map<string, number>>>();

  constructor(target: BackupTarget) {
    this.#target = target;
  }

  async find(sha256: string): Promise<StoredObject | undefined> {
    const bytes = (await this.#group(sha256.slice(0, 2))).get(sha256);
    return bytes === undefined ? undefined : { sha256, bytes };
  }

  /** Notes what was stored since its group was listed. */
  async stored({ sha256, bytes }: StoredObject): Promise<void> {
    (await this.#groups.get(sha256.slice(0, 2)))?.set(sha256, bytes);
  }

  #group(name: string): Promise<Map<string, number>> {
    const held = this.#groups.get(name) ?? this.#list(name);
    // The group that was asked for last is given up last.
    this.#groups.delete(name);
    this.#groups.set(name, held);
    for (const [oldest] of this.#groups) {
      if (this.#groups.size <= groupsMax) break;
      this.#groups.delete(oldest);
    }
    return held;
  }

  async #list(name: string): Promise<Map<string, number>> {
    const objects = new Map<string, number>();
    for await (const { sha256, bytes } of this.#target.objects(name)) objects.set(sha256, bytes);
    return objects;
  }
}
