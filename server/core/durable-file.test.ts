import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { writeDurably } from "./durable-file.ts";

test("a disk that takes only a part of the text leaves the old file, and says so", () => {
  const folder = temporaryFolder();
  try {
    writeDurably(`${folder}/file`, "old");
    // A limit of the size of files cuts a write as a full disk does.
    const script = `import { writeDurably } from "${import.meta.dir}/durable-file.ts"; writeDurably("${folder}/file", "n".repeat(100_000));`;
    const limited = ["sh", "-c", `trap '' XFSZ; ulimit -f 16; exec "$0" -e "$1"`, process.execPath, script];
    const { exitCode, stderr } = Bun.spawnSync(limited, { stderr: "pipe" });
    expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("EFBIG")]);
    expect(readdirSync(folder)).toEqual(["file"]);
    expect(readFileSync(`${folder}/file`, "utf8")).toBe("old");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
