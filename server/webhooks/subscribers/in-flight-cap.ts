/** At most so many deliveries of one subscriber are in flight at once. */
export const inFlightCap = 8;
