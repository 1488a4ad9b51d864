import type { OrganisationData } from "../organisation.tsx";

export type Setting = OrganisationData["settings"][number];

/** What people call a setting; one that is not named here is shown by its name. */
const titles: Record<string, string> = {
  public_url: "Public address",
  retention_days: "Keep reports for",
  retention_events: "Reports kept per project",
  retention_bytes: "Bytes kept per project",
  daily_bytes: "Bytes a day per project",
  dedup_days: "Recognise repeats for",
  delivery_days: "Keep ended deliveries for",
  upgrade_copies: "Copies kept from before upgrades",
  clock_gap_days: "Trust the clock after a gap of",
  source_ip: "Sender's address",
  run_starters: "Who may start runs",
  uploads_per_key: "Uploads at once, of one key",
  uploads_per_address: "Uploads at once, from one address",
  uploads_total: "Uploads at once, in all",
  upload_seconds: "Time for an upload",
};

const parts: readonly { title: string; names: readonly string[] }[] = [
  { title: "Address", names: ["public_url"] },
  {
    title: "What is kept",
    names: [
      "retention_days",
      "retention_events",
      "retention_bytes",
      "daily_bytes",
      "dedup_days",
      "delivery_days",
      "clock_gap_days",
      "upgrade_copies",
    ],
  },
  { title: "Privacy", names: ["source_ip"] },
  { title: "Agent", names: ["run_starters"] },
];

export function titleOf(name: string): string {
  return titles[name] ?? name;
}

/** In the order in which people look for them; the rest at the end. */
export function groups(settings: readonly Setting[]): { title: string; settings: Setting[] }[] {
  const named = new Set(parts.flatMap(({ names }) => names));
  const known = parts.map(({ title, names }) => ({
    title,
    settings: names.flatMap((name) => settings.filter((setting) => setting.name === name)),
  }));
  const rest = { title: "Limits", settings: settings.filter(({ name }) => !named.has(name)) };
  return [...known, rest].filter(({ settings }) => settings.length > 0);
}

const gib = 2 ** 30;
const mib = 2 ** 20;

/** As people write it: bytes with their unit, where that is exact. */
export function written(name: string, value: string | number | null): string {
  if (value === null) return "";
  if (!name.endsWith("_bytes") || typeof value !== "number") return String(value);
  if (value % gib === 0) return `${value / gib}GiB`;
  return value % mib === 0 ? `${value / mib}MiB` : String(value);
}

export function unitOf(name: string): string {
  if (name.endsWith("_days")) return "days";
  return name.endsWith("_seconds") ? "seconds" : "";
}

/** What can be chosen, where the bounds are a list of words. */
export function choicesOf({ bounds, value }: Setting): string[] | undefined {
  const words = bounds.split(", ");
  return typeof value === "string" && words.length > 1 && words.includes(value) ? words : undefined;
}
