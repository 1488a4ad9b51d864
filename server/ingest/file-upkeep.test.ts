import { afterEach, beforeEach, expect, test } from "bun:test";
import { keepBytes } from "../../test/store/files-contract.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { cutoffBy } from "../core/cutoff.ts";
import type { Files } from "../store/files.ts";
import { LocalFiles } from "../store/local-files.ts";
import { OrphanedFiles } from "./file-upkeep.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

test("a new file without a row stays at the start where other processes keep files too, and goes where none does", async () => {
  const { ctx, folder } = installation;
  for (const shared of [true, false]) {
    const local = new LocalFiles(folder);
    const id = ctx.newId();
    await keepBytes(local, "of a report that is being stored", id);
    const listed = Promise.withResolvers<void>();
    const files: Files = Object.assign(Object.create(local), {
      shared,
      remove: (ids: readonly string[]) => local.remove(ids),
      async *keptBefore(moment: number) {
        yield* local.keptBefore(moment);
        listed.resolve();
      },
    });
    // This process starts a minute after the file was kept.
    const now = () => ctx.now() + 60_000;
    const orphans = new OrphanedFiles({ store: ctx.store, files }, { now, cutoff: cutoffBy(now) });
    orphans.start();
    await listed.promise;
    await orphans.stop();
    expect((await local.find(id)) !== undefined).toBe(shared);
  }
});
