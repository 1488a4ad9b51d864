/**
 * Every number the contract promises. Bytes, seconds or Unicode code points, as the name says; all inclusive.
 * Checks, answers, the command line, the README and the documents read them here.
 */
export const limits = {
  /** Requests admitted per credential in any span of `windowSeconds`; an admin may change it per token. */
  requestsPerWindow: 60,
  windowSeconds: 60,
  requestsPerWindowMin: 1,
  requestsPerWindowMax: 1_000_000,

  titleMin: 1,
  titleMax: 200,
  descriptionMax: 20_000,
  idempotencyKeyMin: 1,
  idempotencyKeyMax: 255,
  ticketBodyBytes: 1_048_576,
  bodySeconds: 30,
  /** Faults named in one `invalid_input`; a body with more of them is told of the first ones. */
  faultsMax: 100,
  /** A JSON pointer in a fault is cut here, so that an answer never grows with the body. */
  faultPathMax: 256,

  /** Requests of one source address, whatever its keys. */
  requestsPerAddress: 200,
  ingestBodyBytes: 26_214_400,
  envelopeBytes: 5_242_880,
  /** Packing never makes larger than this what fits unpacked, unless it is padding. */
  packedEnvelopeBytes: 5_308_416,
  /** The envelope and five attachments. */
  parts: 6,
  partHeaderBytes: 16_384,
  /** Part names, file names and media types are kept up to so many code points; a longer part name is refused. */
  partNameMax: 255,
  /** A larger body is an upload: those at once are limited. */
  uploadBytes: 65_536,
  /** A body must bring so much in any `slowSeconds`. */
  slowBytes: 60_000,
  slowSeconds: 30,
  /** A value of the index is cut here. */
  indexValueMax: 200,
  tagsMax: 100,
  tagKeyMax: 64,
  tagValueMax: 256,
  /** References of an envelope that are looked at. */
  referencesMax: 20,
  /** Reports of one id that a new one is compared with, member by member; equal bytes are always recognised. */
  comparedReports: 20,
  pausedRetrySeconds: 3_600,
  originsMax: 50,

  /** Of a project; those of every project are counted apart. */
  subscribersMax: 50,
  /** Types of reports that a subscriber names. */
  reportTypesMax: 50,
  /** Further headers of a subscriber, and the file that they come in. */
  ownHeadersMax: 20,
  ownHeadersBytes: 8_192,

  nameMax: 80,
  urlMax: 2_048,
  emailMax: 254,
  passwordMin: 10,
  passwordMax: 1_000,
  pageDefault: 50,
  pageMax: 200,
  inviteDays: 7,
  requestLogDays: 30,
} as const;
