import type { Received } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { Verdict } from "../core/limiter.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { type SettingValues, sharedSettings } from "../core/settings.ts";
import { StoreUnavailable } from "../core/store.ts";
import { type AuthenticatedKey, authenticateKey, keyPaused } from "../credentials/authenticate-key.ts";
import { allowsOrigin } from "../credentials/origins.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { indexText } from "../envelope/index-envelope.ts";
import type { Links } from "../files/links.ts";
import { answer } from "../http/answer.ts";
import { declaredLength } from "../http/body.ts";
import { cors, preflight } from "../http/cors.ts";
import type { DirectRoute } from "../http/direct-route.ts";
import type { Edge } from "../http/edge.ts";
import {
  answerPublic,
  credential,
  PublicCall,
  type PublicRoute,
  type Refused,
  requestLimit,
  serverRuns,
} from "../http/public-route.ts";
import { cutAddress, limitKeyOf, type SourceAddresses } from "../http/source-address.ts";
import type { Files } from "../store/files.ts";
import type { freeSpace } from "../store/free-space.ts";
import type { DiskSpaceReservations, Room } from "../store/reserve-disk-space.ts";
import { type FoundEnvelope, findEnvelope } from "./find-envelope.ts";
import { discardParts, isUpload, readParts } from "./read-parts.ts";
import { receiveReport, type StoredReport } from "./receive-report.ts";
import { LowSpace, refuseWhenDiskIsLow } from "./refuse-when-disk-is-low.ts";
import type { Part } from "./spool.ts";
import type { EndUpload, UploadPlaces } from "./uploads.ts";
import { requireRoomToday } from "./usage.ts";

const path = "/api/ingest";

/** What ingest needs besides the tools of every public route. */
export interface IngestTools {
  files: Files;
  reader: EnvelopeReader;
  /** Absent with `--rate-limits off`. */
  addresses: SourceAddresses;
  space: () => ReturnType<typeof freeSpace>;
  uploads: UploadPlaces;
  /** Disk space that is set aside for uploads in flight. */
  room: DiskSpaceReservations;
  links: Links;
  /** Called for every report that is stored, and for every repeat. */
  stored: (report: StoredReport) => void;
  /** Called when there is something to deliver. */
  enqueued: () => void;
  /** `outcome` is accepted, repeated, or why it was refused; `project` is empty before the key is known. */
  received: (project: string, outcome: string) => void;
}

/** `POST /api/ingest`. It has no types for Eden, which sends a form as `{}` and a Blob as JSON. */
export function ingestRoutes(edge: Edge, tools: IngestTools): DirectRoute[] {
  return [
    { method: "OPTIONS", path, answer: preflight },
    {
      method: "POST",
      path,
      answer: (request) => answerPublic(submitReport, new Submission(edge, request, tools)),
    },
  ];
}

class Submission extends PublicCall<AuthenticatedKey> {
  readonly tools: IngestTools;
  /** The address of the sender; undefined without a socket. */
  readonly source: string | undefined;
  /** The state of the address's rate limit. */
  addressVerdict: Verdict | undefined;
  /** Set by {@link roomToday}. */
  settings!: SettingValues;
  /** Gives back the upload's place among those under way; undefined for a small body. */
  endUpload: EndUpload | undefined;
  /** Gives back the memory that holds an upload; undefined for an upload that goes to the disk while it comes. */
  releaseMemory: (() => void) | undefined;
  /** Room on the disk that is set aside for an upload. */
  room: Room | undefined;
  /** Set by {@link form}. */
  parts: readonly Part[] = [];
  /** Set by {@link envelope}. */
  found!: FoundEnvelope;

  constructor(edge: Edge, request: Request, tools: IngestTools) {
    super(edge, request);
    this.tools = tools;
    this.source = tools.addresses.of(edge.peerOf(request), request.headers.get("x-forwarded-for"));
  }
}

const submitReport: PublicRoute<Submission> = {
  operation: "submitReport",
  recent: "reports",
  always: cors,
  order: [
    addressLimit, // 429
    credential(authenticateKey, "invalid_sdk_key"), // 401
    origin, // 401
    pause, // 429
    requestLimit({
      policy: "key",
      limitOf: ({ caller }) => caller.requestsPerWindow,
      limiterOf: ({ edge }) => edge.limiters?.credential,
      refusal: (seconds) => new RateLimited("key", seconds),
    }), // 429
    serverRuns, // 503
    freeDisk, // 503
    roomToday, // 429
    form, // 429 or 503 for too many uploads at once; 413, 415, 400 multipart_malformed, 408
    envelope, // 400, 413
    report, // everything else in one transaction: 401, 429, or 200
  ],
  about,
  log: countOutcome,
  release,
};

/**
 * The limit of the address is checked before the key is looked up, so that it also limits how many keys can be tried.
 */
function addressLimit(call: Submission): undefined | Promise<undefined> {
  const verdict = call.edge.limiters?.address.take(limitKeyOf(call.source ?? ""), limits.requestsPerAddress);
  if (verdict instanceof Promise) return verdict.then((given) => tellAddress(call, given));
  return verdict && tellAddress(call, verdict);
}

function tellAddress(call: Submission, verdict: Verdict): undefined {
  if (!verdict.admitted) throw new RateLimited("address", verdict.seconds);
  call.addressVerdict = verdict;
}

function origin({ caller, request }: Submission): undefined {
  if (allowsOrigin(caller.origins, request.headers.get("origin"))) return;
  throw new Refusal("invalid_sdk_key", undefined, {}, "origin");
}

function pause(call: Submission): undefined {
  if (!call.caller.paused) return;
  const { requestsPerWindow: limit } = call.caller;
  if (call.edge.limiters) call.tellLimit("key", { limit, remaining: 0, seconds: limits.pausedRetrySeconds });
  throw keyPaused();
}

function freeDisk({ tools }: Submission): undefined {
  refuseWhenDiskIsLow(tools.space());
}

/** A large body is refused before it arrives when the bytes of its project's day are used up. */
function roomToday(call: Submission): undefined | Promise<undefined> {
  const settings = sharedSettings(call.edge.context.store);
  if (settings instanceof Promise) return settings.then((read) => requireRoom(call, read));
  return requireRoom(call, settings);
}

function requireRoom(call: Submission, settings: SettingValues): undefined | Promise<undefined> {
  const { context } = call.edge;
  call.settings = settings;
  if (!isUpload(call.request)) return;
  return requireRoomToday(context.store, call.caller.projectId, context.now(), settings.daily_bytes);
}

/** Every limit of the body's form, in the order of `readParts`. A body beyond 64 KiB takes a place as an upload. */
async function form(call: Submission): Promise<undefined> {
  const { edge, request, tools, settings } = call;
  call.parts = await readParts(edge, request, {
    files: tools.files,
    seconds: settings.upload_seconds,
    onUpload: () => beginUpload(call),
    mayHold: (bytes) => holdUpload(call, bytes),
    onWritten: (bytes) => call.room?.written(bytes),
  });
}

/** An upload that is refused counts against no limit: it is taken back from the key's and the address's. */
async function beginUpload(call: Submission): Promise<void> {
  const { tools, caller, settings } = call;
  try {
    const end = await tools.uploads.begin(caller.id, limitKeyOf(call.source ?? ""), {
      perKey: settings.uploads_per_key,
      perAddress: settings.uploads_per_address,
      total: settings.uploads_total,
    });
    takeRoom(call, end);
  } catch (error) {
    await uncount(call);
    throw error;
  }
}

function takeRoom(call: Submission, endUpload: EndUpload) {
  call.endUpload = endUpload;
  const body = Math.min(declaredLength(call.request) ?? limits.ingestBodyBytes, limits.ingestBodyBytes);
  // For a moment an envelope takes three places on the disk: its draft, the write-ahead log and the database.
  call.room = call.tools.room.take(body, 2 * Math.min(body, limits.packedEnvelopeBytes));
  if (!call.room) throw new LowSpace();
}

async function uncount(call: Submission): Promise<void> {
  const { edge, source, caller, verdict, addressVerdict } = call;
  const { limiters } = edge;
  if (verdict) call.tellLimit("key", { ...verdict, remaining: verdict.remaining + 1 });
  await Promise.all([
    addressVerdict && limiters?.address.giveBack(limitKeyOf(source ?? ""), addressVerdict),
    verdict && limiters?.credential.giveBack(caller.id, verdict),
  ]);
}

function holdUpload(call: Submission, bytes: number): boolean {
  call.releaseMemory = call.tools.uploads.hold(bytes);
  return call.releaseMemory !== undefined;
}

async function envelope(call: Submission): Promise<undefined> {
  const { parts, tools, caller } = call;
  call.found = await findEnvelope(parts, tools.reader, caller.id, readingMillisecondsOf(call));
}

async function report(call: Submission): Promise<Response> {
  const { edge, request, tools, caller, settings, found } = call;
  const { files, reader, links, stored } = tools;
  const userAgent = request.headers.get("user-agent");
  const { warnings, ...received } = await receiveReport({
    ctx: edge.context,
    tools: { files, reader, links, stored },
    input: {
      ...found,
      keyId: caller.id,
      projectId: caller.projectId,
      userAgent: userAgent === null ? null : indexText(userAgent),
      sourceIp: keptAddress(call.source, settings.source_ip),
      dedupDays: settings.dedup_days,
      readingMilliseconds: readingMillisecondsOf(call),
      dailyBytes: settings.daily_bytes,
    },
  });
  if (received.deliveryCount > 0 && !received.idempotent) tools.enqueued();
  call.made = received.eventId;
  if (received.idempotent) call.outcome = "replayed";
  const body: Received = { status: "received", ...received, ...(warnings.length > 0 ? { warnings } : {}) };
  return answer(edge, 200, JSON.stringify(body), call.headers);
}

/** Processor time for the large envelopes of a key, in 60 s. A key with a higher limit of requests may take more. */
function readingMillisecondsOf({ edge, caller }: Submission): number {
  if (!edge.limiters) return Number.POSITIVE_INFINITY;
  return limits.readingSeconds * 1_000 * Math.max(1, caller.requestsPerWindow / limits.requestsPerWindow);
}

function keptAddress(source: string | undefined, mode: SettingValues["source_ip"]): string | null {
  if (source === undefined || mode === "off") return null;
  return mode === "full" ? source : cutAddress(source);
}

/** The log contains the network of the sender instead of the whole address, as the database does. */
function about(call: Submission, error: unknown): Record<string, string> {
  const source = call.source === undefined ? "" : cutAddress(call.source);
  return { reason: reasonOf(error), project: projectOf(call), source };
}

function countOutcome(call: Submission, _: number, refused: Refused | undefined) {
  const outcome = refused ? reasonOf(refused.error) : call.outcome === "replayed" ? "repeated" : "accepted";
  call.tools.received(projectOf(call), outcome);
}

/** Empty while the key is not known. */
function projectOf({ authenticated, caller }: Submission): string {
  return authenticated ? caller.projectId : "";
}

/** Why a report was refused, for metrics and log: one of a closed set of words. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.reason ?? error.code;
  if (error instanceof LowSpace) return "low_space";
  return error instanceof StoreUnavailable ? "storage" : "internal_error";
}

async function release({ parts, endUpload, releaseMemory, room }: Submission): Promise<void> {
  await discardParts(parts);
  releaseMemory?.();
  room?.giveBack();
  await endUpload?.();
}
