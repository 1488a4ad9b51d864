/**
 * Every number the contract promises. Bytes, seconds or Unicode code points, as the name says; all inclusive.
 * Checks, answers, the command line, the pages under docs/ and the OpenAPI documents read them here.
 */
export const limits = {
  /** Requests admitted per credential in any span of `windowSeconds`; an admin may change it per token. */
  requestsPerWindow: 60,
  windowSeconds: 60,
  /** Processor time for reading large envelopes of one SDK key in any `windowSeconds`; more with a higher limit. */
  readingSeconds: 8,
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
  pausedRetrySeconds: 3_600,
  originsMax: 50,

  /** Of a project; those of every project are counted apart. */
  subscribersMax: 50,
  /** Types of reports that a subscriber names. */
  reportTypesMax: 50,
  /** Further headers of a subscriber, and the file that they come in. */
  ownHeadersMax: 20,
  ownHeadersBytes: 8_192,

  /** Cards that a board shows of a column at first. */
  columnCards: 60,
  /** Cards of a column that are counted. */
  countedCards: 20_000,
  columnsMax: 50,
  boardsMax: 100,
  cardLimitMax: 10_000,
  commentMax: 20_000,
  mentionsMax: 50,
  /** Cards named in one call. */
  cardsPerCall: 200,
  /** A deleted card can be restored for so long. */
  restoreDays: 30,

  nameMax: 80,
  urlMax: 2_048,
  emailMax: 254,
  passwordMin: 12,
  passwordMax: 1_000,
  pageDefault: 50,
  pageMax: 200,
  inviteDays: 7,
  resetMinutes: 30,
  /** A session ends after so many days, and after fewer without a request. */
  sessionDays: 90,
  sessionIdleDays: 14,
  /** Of one member; the oldest goes first. */
  sessionsMax: 50,
  /** What gives rights away asks for the password again when it was given longer ago. */
  passwordMinutes: 60,
  /** Failed sign-ins of one account before each further try has to wait. */
  signInFailures: 5,
  /** Of one account, from all addresses that share a bound. */
  sharedSignInFailures: 100,
  sharedSignInFailuresPerMinute: 6,
  /** Of one source address. */
  signInsPerMinute: 10,
  /** Calls of people who are not signed in, with a body, of one source address: signing in, setting up, links. */
  strangerCallsPerMinute: 60,
  requestLogDays: 30,

  /** Of one claim that waits for a run, in seconds. */
  claimWaitSeconds: 30,
  runnerLabelsMax: 20,
  /** Requests a minute of one token to the runner protocol, beside its limit for tickets. */
  runnerRequestsPerWindow: 600,
  creditsMax: 1_000_000,
  runProgressMax: 200,
  runSummaryMax: 20_000,
  runBranchMax: 255,
  runUrlMax: 2_000,
  /** Of a run, all attempts together. */
  runLogBytes: 5_242_880,
  /** Of one append. */
  runLogTextMax: 262_144,
  leaseSeconds: 90,
  heartbeatSeconds: 30,
  runAttempts: 2,
  runQueueHours: 24,
  runHours: 2,
} as const;
