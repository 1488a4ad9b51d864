import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new empty folder, which the caller removes. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "intake-test-"));
}
