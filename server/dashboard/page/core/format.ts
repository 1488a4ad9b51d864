/** "1.2k"; the exact number belongs in the title. */
export function compact(count: number): string {
  return count < 1_000
    ? String(count)
    : Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count).toLowerCase();
}

export function whole(count: number): string {
  return count.toLocaleString("en");
}

/** "3.1 kB", "412 kB", "8.4 GB". */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = count / 1_000;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** The end of an id: ids of the same time have equal beginnings. */
export function shortId(id: string): string {
  return id.slice(-6);
}

/** "mobile-app/core" of "https://git.example.org/mobile-app/core.git". */
export function repositoryName(url: string): string {
  const path = URL.parse(url)?.pathname ?? url.split(":").at(-1);
  return path?.replace(/^\/|\.git$|\/$/g, "") || url;
}

/** The two initials of a person. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]?.slice(0, 2)];
  return letters
    .map((word) => [...(word ?? "")].slice(0, words.length > 1 ? 1 : 2).join(""))
    .join("")
    .toUpperCase();
}
