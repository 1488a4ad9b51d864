import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "./audit.ts";
import { type Context, type PublicUrl, Refusal, requireAdmin } from "./context.ts";
import { bytes, choice, type Setting, whole } from "./setting-kinds.ts";
import type { Reader, Step, Store, Tx } from "./store.ts";

/** What is kept of a sender's address. */
const sourceIpModes = ["cut", "full", "off"] as const;

/**
 * Every setting, declared once: name, title, default, bounds and description. An admin changes a setting while the
 * server runs, and the next request uses the new value. The page, `intake settings` and the README are made from this
 * table.
 */
export const settings = {
  public_url: {
    title: "Public address",
    group: "Address",
    about: "where people reach this installation; --public-url and INTAKE_PUBLIC_URL override it",
    default: null,
    bounds: "http(s)://host[:port], without a path: the pages lie at the root of a host",
    check: requirePublicUrl,
    read: (stored) => stored,
  } as Setting<string | null>,
  retention_days: whole(
    90,
    { min: 1, max: 36_500 },
    { title: "Keep reports for", group: "What is kept", unit: "days", about: "days for which a report is kept" },
  ),
  retention_events: {
    ...whole(
      0,
      { min: 1, max: 1e12 },
      {
        title: "Reports kept per project",
        group: "What is kept",
        about: "reports kept per project; beyond that the oldest are deleted",
      },
    ),
    default: null,
  } as Setting<number | null>,
  retention_bytes: bytes(50 * 2 ** 30, {
    title: "Bytes kept per project",
    group: "What is kept",
    about: "bytes kept per project; beyond that the oldest reports are deleted",
  }),
  daily_bytes: bytes(10 * 2 ** 30, {
    title: "Bytes a day per project",
    group: "What is kept",
    about: "bytes that a project may store in a day (UTC); beyond that the answer is 429",
  }),
  delivery_days: whole(
    30,
    { min: 1, max: 3_650 },
    {
      title: "Keep ended deliveries for",
      group: "What is kept",
      unit: "days",
      about: "days for which an ended delivery to a subscriber is kept",
    },
  ),
  dedup_days: whole(
    30,
    { min: 1, max: 3_650 },
    {
      title: "Recognise repeats for",
      group: "What is kept",
      unit: "days",
      about: "days for which a repeated report is recognised",
    },
  ),
  upgrade_copies: whole(
    3,
    { min: 1, max: 1_000 },
    {
      title: "Copies kept from before upgrades",
      group: "What is kept",
      about: "copies of the database, made before upgrades, that are kept; the newest always stays",
    },
  ),
  clock_gap_days: whole(
    2,
    { min: 1, max: 3_650 },
    {
      title: "Trust the clock after a gap of",
      group: "What is kept",
      unit: "days",
      about:
        "days that the clock may be ahead of the time that is known to have passed; beyond that nothing is deleted for its age until `intake clock confirm`",
    },
  ),
  source_ip: choice("cut", sourceIpModes, {
    title: "Sender's address",
    group: "Privacy",
    about: "how much of a sender's IP address is stored: its network (/24, /48), all of it, or nothing",
  }),
  uploads_per_key: whole(
    60,
    { min: 1, max: 10_000 },
    {
      title: "Uploads at once, of one key",
      group: "Limits",
      about: "uploads above 64 KiB in flight at the same time from one SDK key",
    },
  ),
  uploads_per_address: whole(
    32,
    { min: 1, max: 10_000 },
    {
      title: "Uploads at once, from one address",
      group: "Limits",
      about: "uploads above 64 KiB in flight at the same time from one source address",
    },
  ),
  uploads_total: whole(
    256,
    { min: 1, max: 10_000 },
    {
      title: "Uploads at once, in all",
      group: "Limits",
      about: "uploads above 64 KiB in flight at the same time in total",
    },
  ),
  run_starters: choice("all", ["all", "admins"], {
    title: "Who may start runs",
    group: "Agent",
    about: "who may start and cancel agent runs",
  }),
  upload_seconds: whole(
    600,
    { min: 30, max: 3_600 },
    {
      title: "Time for an upload",
      group: "Limits",
      unit: "seconds",
      about: "seconds in which the body of a report must arrive",
    },
  ),
} as const satisfies Record<string, Setting<string | number | null>>;

const defaults = Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting.default]));

export type SettingName = keyof typeof settings;
/** Every setting by its name, with the default where nothing is stored. */
export type SettingValues = { [N in SettingName]: ReturnType<(typeof settings)[N]["read"]> };

/** A setting as people see it, with its value. */
interface SettingView extends Omit<Setting<string | number | null>, "check" | "read"> {
  name: SettingName;
  value: string | number | null;
}

/** Reads the settings as they stand now: one small table, so that a change holds from the next request on. */
export async function readSettings(store: Reader): Promise<SettingValues> {
  return valuesOf(await store.all<StoredSetting>(selectSettings));
}

/** As {@link readSettings}, for what reads the settings with every request: see {@link Store.sharedAll}. */
export function sharedSettings(store: Store): SettingValues | Promise<SettingValues> {
  const rows = store.sharedAll<StoredSetting>(selectSettings);
  return rows instanceof Promise ? rows.then(valuesOf) : valuesOf(rows);
}

type StoredSetting = { name: string; value: string };

const selectSettings = "select name, value from setting";

function valuesOf(rows: readonly StoredSetting[]): SettingValues {
  const values: Record<string, string | number | null> = { ...defaults };
  for (const { name, value } of rows) {
    if (Object.hasOwn(settings, name)) values[name] = settings[name as SettingName].read(value);
  }
  return values as SettingValues;
}

/** The settings in the order of the table. */
export async function listSettings({ ctx }: { ctx: Context }): Promise<SettingView[]> {
  requireAdmin(ctx);
  const values = await readSettings(ctx.store);
  return Object.entries<Setting<string | number | null>>(settings).map(([name, { check: _, read: __, ...words }]) => ({
    name: name as SettingName,
    value: values[name as SettingName],
    ...words,
  }));
}

/** An empty value restores the default. */
export async function setSetting({
  ctx,
  input,
}: {
  ctx: Context;
  input: { name: string; value: string };
}): Promise<{ name: string; value: string | number | null }> {
  requireAdmin(ctx);
  const { name } = input;
  if (!Object.hasOwn(settings, name))
    throw new Refusal("not_found", `there is no setting ${name}; see: intake settings list`);
  const setting: Setting<string | number | null> = settings[name as SettingName];
  const value = input.value === "" ? null : setting.check(input.value);
  const used = (stored: string | null | undefined) =>
    typeof stored === "string" ? setting.read(stored) : setting.default;
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const before = yield* tx.one<{ value: string }>("select value from setting where name = $1", [name]);
    if (value === null) yield* tx.run("delete from setting where name = $1", [name]);
    else {
      yield* tx.run(
        "insert into setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
        [name, value],
      );
    }
    const to = used(value);
    yield* audit(tx, ctx, auditId, "setting.change", `setting ${name}`, { from: used(before?.value), to });
    return { name, value: to };
  });
}

export const selectPublicUrl = "select value from setting where name = 'public_url'";

export function* publicUrlStep(tx: Tx, { fixed, fallback }: PublicUrl): Step<string> {
  if (fixed !== undefined) return fixed;
  return (yield* tx.one<{ value: string }>(selectPublicUrl))?.value ?? fallback;
}

/** Reads the stored settings outside of a transaction. */
export async function readPublicUrl(store: Reader, { fixed, fallback }: PublicUrl): Promise<string> {
  return fixed ?? (await store.one<{ value: string }>(selectPublicUrl))?.value ?? fallback;
}

/**
 * Refuses a URL with a path: pages, links, cookies and documents are served at the root of a host and would not be
 * found below a path.
 */
export function requirePublicUrl(value: string): string {
  const url = requireUrl(value);
  if (new URL(url).pathname === "/") return url;
  throw new Refusal(
    "invalid_input",
    `must have no path: Intake serves its pages at the root of a host. Give it a host name of its own, as in ${new URL(url).protocol}//intake.example.org`,
  );
}

/** An address that people and links can be sent to, without trailing slash. */
export function requireUrl(value: string): string {
  const url = URL.parse(value);
  const fits =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(value) &&
    value.length <= limits.urlMax;
  if (!fits) throw new Refusal("invalid_input", "must be an http or https address without user, query or fragment");
  return url.href.replace(/\/+$/, "");
}
