import { writeSync } from "node:fs";
import { configureSync, getJsonLinesFormatter, getLogger, type LogRecord } from "@logtape/logtape";

const format = getJsonLinesFormatter({ categorySeparator: ".", properties: "flatten" });
const stderr = 2;

/** Writes every record as one JSON line on stderr. */
export function configureLog() {
  configureSync({
    reset: true,
    sinks: { stderr: (record: LogRecord) => writeLine(format(record)) },
    loggers: [
      { category: ["logtape", "meta"], sinks: ["stderr"], lowestLevel: "error" },
      { category: "intake", sinks: ["stderr"], lowestLevel: "info" },
    ],
  });
}

export const log = getLogger("intake");

const credential = /\b(itk_|isk_|whsec_)[0-9A-Za-z+/=_-]+/g;

function writeLine(line: string) {
  try {
    // Nothing of ours logs a credential. Should one ever stand in a text, it ends here.
    writeSync(stderr, line.replace(credential, "$1[hidden]"));
  } catch {
    // A reader of the pipe that is slow or gone must not stop the server.
  }
}

const refusalsPerSecond = 50;
let second = 0;
let written = 0;
let suppressed = 0;

/** One line for a request that was refused, at most 50 in a second: whoever floods us must not fill the disk. */
export function logRefusal(properties: { requestId: string; route: string; status: number; code: string }) {
  const now = Math.floor(performance.now() / 1_000);
  if (now !== second) {
    if (suppressed > 0) log.warn("refusals were not logged", { suppressed });
    [second, written, suppressed] = [now, 0, 0];
  }
  if (++written > refusalsPerSecond) suppressed++;
  else log.info("refused", properties);
}
