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
  /** The most faults that one `invalid_input` names; it leaves out the others. */
  faultsMax: 100,
  /** JSON pointers in faults are cut to this length, so that an answer does not grow with the body. */
  faultPathMax: 256,

  /** Requests of one source address, with any keys. */
  requestsPerAddress: 200,
  ingestBodyBytes: 26_214_400,
  envelopeBytes: 5_242_880,
  /** Bytes of a compressed envelope. One whose contents are within the limit is larger only when somebody padded it. */
  packedEnvelopeBytes: 5_308_416,
  /** Parts of a report: the envelope and five attachments. */
  parts: 6,
  partHeaderBytes: 16_384,
  /** Part names, file names and media types are kept up to this many code points; a longer part name is refused. */
  partNameMax: 255,
  /** A body of more bytes is an upload; the uploads in flight are limited. */
  uploadBytes: 65_536,
  /** A body must bring this many bytes in any `slowSeconds`. */
  slowBytes: 60_000,
  slowSeconds: 30,
  /** An indexed value is cut to this length. */
  indexValueMax: 200,
  tagsMax: 100,
  tagKeyMax: 64,
  tagValueMax: 256,
  /** References to attachments in an envelope that are read. */
  referencesMax: 20,
  pausedRetrySeconds: 3_600,
  originsMax: 50,

  /** Subscribers of one project; subscribers to all projects are counted separately. */
  subscribersMax: 50,
  /** Types of reports that a subscriber may name. */
  reportTypesMax: 50,
  /** Own headers of a subscriber, and bytes of the file that holds them. */
  ownHeadersMax: 20,
  ownHeadersBytes: 8_192,

  /** Cards of a column that a board loads first. */
  columnCards: 60,
  /** Cards of a column are counted up to this number. */
  countedCards: 20_000,
  columnsMax: 50,
  boardsMax: 100,
  cardLimitMax: 10_000,
  commentMax: 20_000,
  mentionsMax: 50,
  /** Cards that one call may name. */
  cardsPerCall: 200,
  /** Days for which a deleted card can be restored. */
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
  /** Minutes for which a link of `intake member sign-in-link` works. */
  signInLinkMinutes: 15,
  /** A session ends after this many days, and earlier when it is not used, unless settings say otherwise. */
  sessionDays: 90,
  sessionDaysMax: 365,
  sessionIdleHours: 14 * 24,
  sessionIdleHoursMax: 365 * 24,
  /** Sessions of one member; one more ends the oldest. */
  sessionsMax: 50,
  /** Granting rights asks for the password again when it was entered longer ago than this. */
  passwordMinutes: 60,
  /** Failed sign-ins of one account before each further try has to wait. */
  signInFailures: 5,
  /** Failed sign-ins of one account, over all addresses that share a limit. */
  sharedSignInFailures: 100,
  sharedSignInFailuresPerMinute: 6,
  /** Failed sign-ins of one source address. */
  signInsPerMinute: 10,
  /** Calls with a body from one source address without a session: signing in, setting up, links. */
  strangerCallsPerMinute: 60,
  /** Identity providers of an installation. */
  providersMax: 20,
  providerIdMax: 32,
  clientIdMax: 255,
  clientSecretMax: 16_384,
  /** Groups, or domains, that a provider names. */
  groupsMax: 50,
  /** Seconds that an identity provider has for one answer. */
  providerSeconds: 10,
  /** Minutes in which a sign-in that began has to come back from the provider. */
  providerMinutes: 10,
  /** Passkeys of one member. */
  passkeysMax: 20,
  recoveryCodes: 10,
  /** Minutes in which a passkey has to answer, and in which a second factor has to follow the first. */
  passkeyMinutes: 5,
  secondStepMinutes: 10,
  requestLogDays: 30,

  /** The longest time that a claim may wait for a run, in seconds. */
  claimWaitSeconds: 30,
  runnerLabelsMax: 20,
  /** Requests a minute of one token to the runner protocol, in addition to its limit for tickets. */
  runnerRequestsPerWindow: 600,
  creditsMax: 1_000_000,
  runProgressMax: 200,
  runSummaryMax: 20_000,
  runBranchMax: 255,
  runUrlMax: 2_000,
  /** Bytes of the log of a run, over all attempts. */
  runLogBytes: 5_242_880,
  /** Bytes of one append to a log. */
  runLogTextMax: 262_144,
  leaseSeconds: 90,
  heartbeatSeconds: 30,
  runAttempts: 2,
  runQueueHours: 24,
  runHours: 2,
} as const;
