import { Refusal } from "./context.ts";

export interface Setting<T extends string | number | null> {
  about: string;
  default: T;
  bounds: string;
  /** The text to store; throws a Refusal that says what the value must be. */
  check: (value: string) => string;
  /** What stands in the database, as it is used. */
  read: (stored: string) => T;
}

export function whole(usual: number, { min, max }: { min: number; max: number }, about: string): Setting<number> {
  return {
    about,
    default: usual,
    bounds: `${min.toLocaleString("en")} to ${max.toLocaleString("en")}`,
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
const mostBytes = 2 ** 50;

/** `10 GiB`, `500MiB` or a plain number; stored and shown as the number. */
export function bytes(usual: number, about: string): Setting<number> {
  return {
    about,
    default: usual,
    bounds: "1 to 1024 TiB, as a number or with KiB, MiB, GiB, TiB",
    check(value) {
      const [, digits = "", unit = ""] = /^(\d{1,16}) ?([KMGT]iB|)$/.exec(value) ?? [];
      const number = Number(digits) * units[unit as keyof typeof units];
      if (digits === "" || number < 1 || number > mostBytes) throw invalid("a number of bytes, such as 10GiB");
      return String(number);
    },
    read: Number,
  };
}

export function choice<const C extends string>(usual: NoInfer<C>, choices: readonly C[], about: string): Setting<C> {
  return {
    about,
    default: usual,
    bounds: choices.join(", "),
    check(value) {
      if (!(choices as readonly string[]).includes(value)) throw invalid(`one of ${choices.join(", ")}`);
      return value;
    },
    read: (stored) => stored as C,
  };
}

function invalid(what: string): Refusal {
  return new Refusal("invalid_input", `the value must be ${what}`);
}
