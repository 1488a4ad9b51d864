import { grouped } from "../../openapi/schema/grouped.ts";
import { Refusal } from "./context.ts";
import type { SettingGroup } from "./setting-groups.ts";

/** What the page and the command line show of a setting. */
interface SettingWords {
  /** What the page calls the setting. */
  title: string;
  /** The heading of the page under which the setting stands. */
  group: SettingGroup;
  /** What the setting is, without a capital letter and without a full stop. */
  about: string;
  /** The unit that the page shows beside a number. */
  unit?: "days" | "hours" | "seconds";
}

export interface Setting<T extends string | number | null> extends Omit<SettingWords, "unit"> {
  default: T;
  /** The accepted values, in words. */
  bounds: string;
  /** `bytes`: the page writes and reads the number with KiB, MiB or GiB. */
  unit?: SettingWords["unit"] | "bytes";
  /** All values of a setting that is chosen from a list. */
  choices?: readonly string[];
  /** The text to store; throws a Refusal that says what the value must be. */
  check: (value: string) => string;
  /** The value as the server uses it, from the text in the database. */
  read: (stored: string) => T;
}

export function whole(usual: number, { min, max }: { min: number; max: number }, words: SettingWords): Setting<number> {
  return {
    ...words,
    default: usual,
    bounds: `${grouped(min)} to ${grouped(max)}`,
    check(value) {
      if (!/^\d{1,15}$/.test(value) || Number(value) < min || Number(value) > max) {
        throw invalid(`a whole number from ${min} to ${max}`);
      }
      return String(Number(value));
    },
    read: Number,
  };
}

const units = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const bytesMax = 2 ** 50;

/** `10 GiB`, `500MiB` or a plain number; stored and listed as the number. */
export function bytes(usual: number, words: SettingWords): Setting<number> {
  return {
    ...words,
    default: usual,
    bounds: "1 to 1024 TiB, as a number or with KiB, MiB, GiB, TiB",
    unit: "bytes",
    check(value) {
      const [, digits = "", unit = ""] = /^(\d{1,16}) ?([KMGT]iB|)$/.exec(value) ?? [];
      const number = Number(digits) * units[unit as keyof typeof units];
      if (digits === "" || number < 1 || number > bytesMax) throw invalid("a number of bytes, such as 10GiB");
      return String(number);
    },
    read: Number,
  };
}

export function choice<const C extends string>(
  usual: NoInfer<C>,
  choices: readonly C[],
  words: SettingWords,
): Setting<C> {
  return {
    ...words,
    default: usual,
    bounds: choices.join(", "),
    choices,
    check(value) {
      if (!(choices as readonly string[]).includes(value)) throw invalid(`one of ${choices.join(", ")}`);
      return value;
    },
    read: (stored) => stored as C,
  };
}

/** Text that `check` has an opinion of; none unless it is set. */
export function text(
  check: (value: string) => string,
  { bounds, ...words }: SettingWords & { bounds: string },
): Setting<string | null> {
  return { ...words, default: null, bounds, check, read: (stored) => stored };
}

function invalid(what: string): Refusal {
  return new Refusal("invalid_input", `the value must be ${what}`);
}
