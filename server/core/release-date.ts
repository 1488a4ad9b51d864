/**
 * The day on which this version was made: a clock that stands before it is wrong. Set with the version in
 * package.json, and not by the build, whose bytes depend on the sources alone.
 */
export const releaseDate = Date.UTC(2026, 10, 1);
