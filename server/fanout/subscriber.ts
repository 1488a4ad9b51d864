/** What a sealed value is bound to: moved to another row or another column, it does not open. */
export const secretAbout = (subscriberId: string) => `secret of subscriber ${subscriberId}`;
export const headersAbout = (subscriberId: string) => `headers of subscriber ${subscriberId}`;
