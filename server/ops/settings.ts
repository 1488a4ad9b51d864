import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../access/audit.ts";
import { type Context, type PublicUrl, Refusal, requireAdmin } from "../access/context.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";
import type { Reader, Step, Tx } from "../store/store.ts";

/** What an admin can change while the server runs; it holds from the next request on. */
export const settings = {
  public_url: {
    about: "where people reach this installation; a flag or INTAKE_PUBLIC_URL goes before it",
    default: null,
    bounds: "http(s)://host[:port][/path], no trailing slash",
    check: requireUrl,
  },
} as const satisfies Record<
  string,
  { about: string; default: string | null; bounds: string; check: (value: string) => string }
>;

type SettingName = keyof typeof settings;

interface SettingView {
  name: SettingName;
  value: string | null;
  default: string | null;
  bounds: string;
  about: string;
}

export async function listSettings({ ctx }: { ctx: Context }): Promise<SettingView[]> {
  requireAdmin(ctx);
  const rows = await ctx.store.all<{ name: string; value: string }>("select name, value from setting");
  const stored = new Map(rows.map(({ name, value }) => [name, value]));
  return Object.entries(settings).map(([name, { about, default: usual, bounds }]) => ({
    name: name as SettingName,
    value: stored.get(name) ?? usual,
    default: usual,
    bounds,
    about,
  }));
}

/** An empty value goes back to the default. */
export async function setSetting({
  ctx,
  input,
}: {
  ctx: Context;
  input: { name: string; value: string };
}): Promise<{ name: string; value: string | null }> {
  requireAdmin(ctx);
  const { name } = input;
  if (!Object.hasOwn(settings, name)) throw new Refusal("not_found", `there is no setting ${name}`);
  const setting = settings[name as SettingName];
  const value = input.value === "" ? null : setting.check(input.value);
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
    const from = before?.value ?? setting.default;
    yield* audit(tx, ctx, auditId, "setting.change", `setting ${name}`, { from, to: value ?? setting.default });
    return { name, value: value ?? setting.default };
  });
}

/** The setting as it stands before a server runs; undefined without a database. */
export function storedPublicUrl(folder: string): string | undefined {
  try {
    const db = openDatabase(databasePath(folder), { readonly: true });
    const [row] = db.query<{ value: string }, []>(selectPublicUrl).all();
    db.close();
    return row?.value;
  } catch {
    return undefined;
  }
}

const selectPublicUrl = "select value from setting where name = 'public_url'";

export function* publicUrlStep(tx: Tx, { fixed, fallback }: PublicUrl): Step<string> {
  if (fixed !== undefined) return fixed;
  return (yield* tx.one<{ value: string }>(selectPublicUrl))?.value ?? fallback;
}

/** The same outside a transaction. */
export async function readPublicUrl(store: Reader, { fixed, fallback }: PublicUrl): Promise<string> {
  return fixed ?? (await store.one<{ value: string }>(selectPublicUrl))?.value ?? fallback;
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
