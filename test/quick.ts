import { close, filesAtOnce, runTests, testFiles } from "./suite.ts";
import { requireBinary } from "./support/binary.ts";

/** `bun run test`: every test that needs no browser, no generator and no kill round. `suite.ts` says which those are. */
const { quick } = testFiles();
requireBinary();
process.exitCode = close({ quick }, [await runTests("quick", quick, filesAtOnce)]);
