/** The most deliveries of one subscriber that are in flight at once. */
export const inFlightCap = 8;
