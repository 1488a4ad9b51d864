/** The types of attachments that browsers may show, when the first bytes of the file have that type too. */
export const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const videoTypes: ReadonlySet<string> = new Set(["video/mp4", "video/webm"]);
