import { settingGroups } from "../../../../../core/setting-groups.ts";
import type { OrganisationData } from "../organisation.tsx";

export type Setting = OrganisationData["settings"][number];

/** The settings under their headings, in the order of the headings, without those that have a page of their own. */
export function groups(settings: readonly Setting[]): { title: string; settings: Setting[] }[] {
  const here = settingGroups.filter((title) => title !== "Backups" && title !== "Mail");
  return here.map((title) => ({ title, settings: settings.filter(({ group }) => group === title) }));
}

const gib = 2 ** 30;
const mib = 2 ** 20;

/** A value as people write it: bytes in MiB or GiB when that is exact. */
export function written({ unit }: Pick<Setting, "unit">, value: string | number | null): string {
  if (value === null) return "";
  if (unit !== "bytes" || typeof value !== "number") return String(value);
  if (value % gib === 0) return `${value / gib}GiB`;
  return value % mib === 0 ? `${value / mib}MiB` : String(value);
}
