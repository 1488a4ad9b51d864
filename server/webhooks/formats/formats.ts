/** The forms in which a subscriber can be sent its messages; the first is the default. */
export const formats = ["intake", "slack", "discord", "teams", "matrix"] as const;
export type Format = (typeof formats)[number];
