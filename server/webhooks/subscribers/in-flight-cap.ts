/** Deliveries of one subscriber that are under way at once. */
export const inFlightCap = 8;
