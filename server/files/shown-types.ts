/** What a browser may show of what somebody sent, when its first bytes say that it is that. */
export const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export const videoTypes: ReadonlySet<string> = new Set(["video/mp4", "video/webm"]);
