import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { installed, installRuntimes } from "../../../test/client/install.ts";
import { readRetryAfter } from "./retry-after.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (number: number, fill = "0") => String(number).padStart(2, fill);

/** The three forms of RFC 9110, 5.6.7: IMF-fixdate, that of RFC 850, and that of asctime. */
const forms: Record<string, (at: Date) => string> = {
  "IMF-fixdate": (at) => at.toUTCString(),
  "RFC 850": (at) =>
    `${days[at.getUTCDay()]}, ${two(at.getUTCDate())}-${months[at.getUTCMonth()]}-${two(at.getUTCFullYear() % 100)} ${time(at)} GMT`,
  asctime: (at) =>
    `${days[at.getUTCDay()]?.slice(0, 3)} ${months[at.getUTCMonth()]} ${two(at.getUTCDate(), " ")} ${time(at)} ${at.getUTCFullYear()}`,
};

function time(at: Date): string {
  return [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map((part) => two(part)).join(":");
}

/** Whole seconds of the years that two digits can name without a guess. */
const moment = fc.integer({ min: 1_000_000_000, max: 2_500_000_000 }).map((seconds) => new Date(seconds * 1_000));
const form = fc.constantFrom(...Object.keys(forms));

interface Sample {
  value: string;
  date?: string;
  expected: number | null;
}

function dated(name: string, at: Date, server: Date): Sample {
  const write = forms[name] ?? String;
  return { value: write(at), date: server.toUTCString(), expected: Math.max(0, at.getTime() - server.getTime()) };
}

test("whole seconds", () => {
  fc.assert(fc.property(fc.nat(), (seconds) => expect(readRetryAfter(String(seconds))).toBe(seconds * 1_000)));
});

test("nothing is absent", () => {
  expect(readRetryAfter(undefined)).toBeUndefined();
});

test("a date without the server's own is taken by the clock here", () => {
  const ms = readRetryAfter(new Date(Date.now() + 60_000).toUTCString());
  expect(ms).toBeGreaterThan(58_000);
  expect(ms).toBeLessThanOrEqual(60_000);
});

test("a server whose clock is wrong is asked for the difference alone", () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: -5_000, max: 5_000 }), form, (server, seconds, name) => {
      const { value, date, expected } = dated(name, new Date(server.getTime() + seconds * 1_000), server);
      expect(readRetryAfter(value, date)).toBe(expected ?? Number.NaN);
    }),
  );
});

const garbage = [
  "",
  " ",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "7 apples",
  "in 2099",
  "2099-01-01",
  "2099-01-01T00:00:00Z",
  "Infinity",
  "NaN",
  "null",
  "tomorrow",
  "Sunday",
  "Sun, 06 Nov",
  "Sun 12:00",
  "Sun, 06 Nov 2099 08:49:37 +0200",
  "Sun, 06 Nov 2099 08:49:37 PST",
  "Sun, 32 Nov 2099 08:49:37 GMT",
  "Sun, 06 Foo 2099 08:49:37 GMT",
  "Sun, 06 Nov 2099 25:49:37 GMT",
  "Sun, 06 Nov 2099 08:49:37 GMT, 5",
  "１２",
];
test.each(garbage)("%p counts as absent", (value) => {
  expect(readRetryAfter(value)).toBeUndefined();
});

test("any text is a time, or absent, and never in the past", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.option(fc.string(), { nil: undefined }), (value, date) => {
      const ms = readRetryAfter(value, date);
      if (ms !== undefined) expect(ms).toBeGreaterThanOrEqual(0);
    }),
  );
});

describe("wherever the clock stands, in either engine", () => {
  beforeAll(() => installRuntimes(), 600_000);

  const samples: Sample[] = [
    ...fc.sample(fc.tuple(form, moment, moment), 200).map(([name, at, server]) => dated(name, at, server)),
    ...garbage.map((value) => ({ value, expected: null })),
  ];
  const zones = ["UTC", "America/St_Johns", "Asia/Kathmandu", "Pacific/Kiritimati"];
  const engines = { V8: [installed.node22, "--input-type=module"], JavaScriptCore: [installed.bun] };
  for (const [engine, command] of Object.entries(engines)) {
    test.each(zones)(`${engine} in %s`, (zone) => {
      expect(answersIn(command, zone, samples)).toEqual(samples);
    });
  }
});

/** Reads the same samples in a process of that time zone. */
function answersIn(command: readonly string[], zone: string, samples: readonly Sample[]): Sample[] {
  const script = `
    import { readFileSync } from "node:fs";
    import { readRetryAfter } from ${JSON.stringify(join(import.meta.dir, "retry-after.ts"))};
    const answer = ({ value, date }) => ({ value, date, expected: readRetryAfter(value, date) ?? null });
    console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(answer)));`;
  const child = Bun.spawnSync([...command, "-e", script], {
    stdin: Buffer.from(JSON.stringify(samples)),
    env: { TZ: zone },
  });
  if (child.exitCode !== 0) throw new Error(child.stderr.toString());
  return JSON.parse(child.stdout.toString()) as Sample[];
}
