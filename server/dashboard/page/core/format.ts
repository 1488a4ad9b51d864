const thousands = ["", "k", "m", "b", "t"];

/** "1.2k"; the exact number belongs in the title. By hand: the browser's own formatter takes 4 ms to make, on each page. */
export function compact(count: number): string {
  let unit = 0;
  let shown = String(count);
  // A number that is rounded up to a thousand is written in the next unit.
  while (Number(shown) >= 1_000 && unit < thousands.length - 1) {
    unit++;
    shown = String(Math.round(count / (1_000 ** unit / 10)) / 10);
  }
  return shown + thousands[unit];
}

/** "12,345", of a whole number. By hand, as {@link compact}. */
export function whole(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
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
