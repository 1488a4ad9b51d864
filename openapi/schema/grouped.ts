/** `1,000`. Not `toLocaleString`, which loads the data of all languages: that takes 5 ms and some MB of a server's start. */
export function grouped(whole: number): string {
  return String(whole).replace(/\B(?=(\d{3})+$)/g, ",");
}
