const pattern = /^(?=.)(?:(\d{1,5})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;
const maxMs = 86_400_000;

/** The rule for a duration, for messages. */
export const durationRule = "must be a duration of at most 24h such as 90s, 5m or 1h30m";

/** `90s`, `5m`, `1h30m` or `0` in milliseconds; undefined for any other text and for more than a day. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const [whole, hours = 0, minutes = 0, seconds = 0] = pattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return ms <= maxMs ? ms : undefined;
}
