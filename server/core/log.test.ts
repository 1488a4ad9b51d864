import { expect, test } from "bun:test";
import type { LogRecord } from "@logtape/logtape";
import { lineOf } from "./log.ts";

const record = (properties: Record<string, unknown>): LogRecord => ({
  category: ["intake"],
  level: "info",
  message: ["refused"],
  rawMessage: "refused",
  properties,
  timestamp: 0,
});

test("no property takes the place of what every line has", () => {
  const own = { message: "theirs", level: "theirs", logger: "theirs", "@timestamp": "theirs", code: "x", error: null };
  expect(JSON.parse(lineOf(record(own)))).toEqual({
    "@timestamp": "1970-01-01T00:00:00.000Z",
    level: "INFO",
    message: "refused",
    logger: "intake",
    "property.message": "theirs",
    "property.level": "theirs",
    "property.logger": "theirs",
    "property.@timestamp": "theirs",
    code: "x",
    error: null,
  });
});
