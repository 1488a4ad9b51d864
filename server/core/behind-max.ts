/** Cards and reports that wait for the search index are counted up to this number, for the people who search. */
export const behindMax = 2_000;
