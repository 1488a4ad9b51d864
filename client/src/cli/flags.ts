import { parseArgs } from "node:util";
import { descriptionMax, titleMax, titleMin } from "../generated/contract.ts";
import type { CreateTicket } from "../types.ts";
import type { TicketFields } from "./create-ticket.ts";
import { durationMs, durationRule } from "./duration.ts";

/** The command was typed wrongly: exit 2, nothing was done. */
export class UsageError extends Error {
  override name = "UsageError";
}

interface Flag {
  placeholder: string;
  about: string;
  /** What the value must be; nothing when it is right. */
  fault?: (value: string) => string | false;
}

const priorities: Record<NonNullable<CreateTicket["priority"]>, true> = {
  none: true,
  low: true,
  medium: true,
  high: true,
};

const id = (placeholder: string, about: string): Flag => ({
  placeholder,
  about,
  fault: (value) => !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) && "must be a UUID",
});
const day = (about: string): Flag => ({
  placeholder: "YYYY-MM-DD",
  about,
  fault: (value) => !isDay(value) && "must be a day that exists, written YYYY-MM-DD",
});
const text = (placeholder: string, about: string, min: number, max: number): Flag => ({
  placeholder,
  about,
  fault: (value) => ([...value].length < min || [...value].length > max) && `must have ${min} to ${max} characters`,
});

/** The flags of `ticket create` that have a value. */
export const flags = {
  title: text("T", `${titleMin} to ${titleMax} characters; required`, titleMin, titleMax),
  description: text("D", `up to ${descriptionMax.toLocaleString("en")} characters`, 1, descriptionMax),
  project: id("P", "the project; the token's only one when absent"),
  board: id("B", "the board; the project's first when absent"),
  column: id("C", "the column; the board's leftmost when absent"),
  priority: {
    placeholder: Object.keys(priorities).join("|"),
    about: "none when absent",
    fault: (value: string) =>
      !Object.hasOwn(priorities, value) && `must be one of ${Object.keys(priorities).join(", ")}`,
  },
  assignee: id("M", "a member; the AI agent starts an autonomous run"),
  repository: id("R", "the repository an agent run works against"),
  starts: day("first day"),
  due: day("last day"),
  "idempotency-key": { placeholder: "K", about: "the same key never makes a second ticket; a new UUID when absent" },
  wait: {
    placeholder: "D",
    about: "keep trying this long, such as 90s or 5m; 2m when absent, 0 means one try",
    fault: (value: string) => durationMs(value) === undefined && durationRule,
  },
  url: { placeholder: "U", about: "where Intake answers; INTAKE_URL when absent" },
} satisfies Record<string, Flag>;

/** What was given; only values that {@link flags} let through. */
export type Given = Partial<TicketFields> & { url?: string; wait?: string; json?: boolean };

/** The flags that were given, each once and of the right form. Throws {@link UsageError}. */
export function readFlags(args: readonly string[]): Given {
  const given = parsed(args);
  for (const [name, { fault }] of Object.entries<Flag>(flags)) {
    const value = given[name];
    const wrong = typeof value === "string" && fault?.(value);
    if (wrong) throw new UsageError(`--${name}: ${wrong}`);
  }
  return given;
}

function parsed(args: readonly string[]): Record<string, string | boolean | undefined> {
  const named = Object.keys(flags).map((name) => [name, { type: "string" as const }]);
  const options = { ...Object.fromEntries(named), json: { type: "boolean" as const } };
  const { values, tokens } = withoutStack(() => parseArgs({ args: [...args], tokens: true, options }));
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (seen.has(token.name)) throw new UsageError(`--${token.name} is given twice`);
    seen.add(token.name);
  }
  return values as Record<string, string | boolean | undefined>;
}

/** What `parseArgs` throws is one line, and tells the argument that is wrong. */
function withoutStack<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isDay(value: string): boolean {
  const date = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
}
