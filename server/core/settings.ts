import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "./audit.ts";
import { backupSettings, onPostgres } from "./backup-settings.ts";
import { type Context, type PublicUrl, Refusal, requireAdmin } from "./context.ts";
import { requireMailAddress, requireMailHost, requireMailText } from "./mail-address.ts";
import { noticeSettings } from "./notice-settings.ts";
import { requirePlainMailHere } from "./plain-mail.ts";
import { bytes, choice, type Setting, text, whole } from "./setting-kinds.ts";
import type { Reader, Step, Store, Tx } from "./store.ts";

/** What is kept of a sender's address. */
const sourceIpModes = ["cut", "full", "off"] as const;

/** How the way to the mail server is protected. */
const mailSecurities = ["starttls", "tls", "none", "none-anywhere"] as const;

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
  ...backupSettings,
  ...noticeSettings,
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
  password_sign_in: choice("on", ["on", "off"], {
    title: "Sign-in with passwords",
    group: "Sign-in",
    about:
      "off: people sign in with identity providers only, as long as one is enabled that an admin is linked to; `intake member sign-in-link` is the way in when it fails",
  }),
  session_days: whole(
    limits.sessionDays,
    { min: 1, max: limits.sessionDaysMax },
    {
      title: "Sessions end after",
      group: "Sign-in",
      unit: "days",
      about: "days after the sign-in when a session ends in any case; holds at once for sessions that have begun",
    },
  ),
  session_idle_hours: whole(
    limits.sessionIdleHours,
    { min: 1, max: limits.sessionIdleHoursMax },
    {
      title: "Unused sessions end after",
      group: "Sign-in",
      unit: "hours",
      about: "hours without use after which a session ends; a page that is only open does not use it",
    },
  ),
  admin_second_factor: choice("off", ["off", "on"], {
    title: "Second factor for admins",
    group: "Sign-in",
    about:
      "on: an admin without a passkey or an authenticator app has to set one up before anything else; who signs in with an identity provider is asked for factors there",
  }),
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
  smtp_host: text(requireMailHost, {
    title: "Mail server",
    group: "Mail",
    about: "SMTP server that takes mails to members; nothing is mailed without one",
    bounds: "a host name or an IP address, without a port",
  }),
  smtp_port: whole(
    587,
    { min: 1, max: 65_535 },
    { title: "Port", group: "Mail", about: "its port: 587 is usual for starttls, 465 for tls" },
  ),
  smtp_security: choice("starttls", mailSecurities, {
    title: "Encryption",
    group: "Mail",
    about:
      "how the way there is protected: starttls turns to TLS before anything is said and tls begins with it, both with a certificate that is checked; none is for a server on this machine, and none-anywhere lets everybody on the way read mails and password",
  }),
  smtp_user: text(requireMailText, {
    title: "User",
    group: "Mail",
    about: "whom Intake signs in as at the mail server; without one it does not sign in",
    bounds: "up to 254 characters",
  }),
  mail_from: text(requireMailAddress, {
    title: "Sender's address",
    group: "Mail",
    about: "whom mails are from; nothing is mailed without it",
    bounds: "an address such as intake@example.org",
  }),
  mail_name: text(requireMailText, {
    title: "Sender's name",
    group: "Mail",
    about: "the name beside that address; Intake when there is none",
    bounds: "up to 254 characters",
  }),
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
  if (input.value !== "" && ctx.store.engine === "postgres" && Object.hasOwn(backupSettings, name)) {
    throw new Refusal("invalid_input", onPostgres);
  }
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
    if (name === "smtp_host" || name === "smtp_security") yield* requirePlainMailHere(tx);
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
  return (await readStoredPublicUrl(store, { fixed })) ?? fallback;
}

/** As {@link readPublicUrl}; undefined where nobody has said under which address people reach this installation. */
export async function readStoredPublicUrl(
  store: Reader,
  { fixed }: Pick<PublicUrl, "fixed">,
): Promise<string | undefined> {
  return fixed ?? (await store.one<{ value: string }>(selectPublicUrl))?.value;
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
