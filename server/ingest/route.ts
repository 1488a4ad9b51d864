import { Elysia } from "elysia";
import type { Received } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { readSettings, type SettingValues } from "../core/settings.ts";
import { StoreUnavailable } from "../core/store.ts";
import { type AuthenticatedKey, authenticateKey, keyPaused } from "../credentials/authenticate-key.ts";
import { allowsOrigin } from "../credentials/origins.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { indexText } from "../envelope/index-envelope.ts";
import type { Links } from "../files/links.ts";
import { answer, answerError, type HeaderFields } from "../http/answer.ts";
import { bearerOf } from "../http/bearer.ts";
import { declaredLength } from "../http/body.ts";
import { cors, preflight } from "../http/cors.ts";
import type { Edge } from "../http/edge.ts";
import type { RateLimiter, Verdict } from "../http/rate-limit.ts";
import { aboutSdk, countSdk } from "../http/sdk-header.ts";
import { cutAddress, limitKeyOf, type SourceAddresses } from "../http/source-address.ts";
import type { Files } from "../store/files.ts";
import type { freeSpace } from "../store/free-space.ts";
import type { Room, RoomSetAside } from "../store/room.ts";
import { findEnvelope } from "./find-envelope.ts";
import { discardParts, isUpload, readParts } from "./read-parts.ts";
import { receiveReport, type StoredReport } from "./receive-report.ts";
import { Uploads } from "./uploads.ts";
import { requireRoomToday } from "./usage.ts";

const route = "submitReport";
const path = "/api/ingest";

/** What ingest needs beside the edge. */
export interface IngestTools {
  files: Files;
  reader: EnvelopeReader;
  /** None with `--rate-limits off`. */
  addressLimiter: RateLimiter | undefined;
  addresses: SourceAddresses;
  space: () => ReturnType<typeof freeSpace>;
  /** What uploads under way may still write. */
  room: RoomSetAside;
  links: Links;
  /** Told of every report that is stored, and of every repeat. */
  stored: (report: StoredReport) => void;
  /** There is something to deliver. */
  enqueued: () => void;
  /** `outcome` is accepted, repeated, or why it was refused; `project` is empty before the key is known. */
  received: (project: string, outcome: string) => void;
}

/** `POST /api/ingest`. Elysia parses nothing: it would read the body before the key was looked at. */
export function ingestRoutes(edge: Edge, tools: IngestTools) {
  const uploads = new Uploads();
  const handle = (request: Request) => new Submission(edge, tools, uploads, request).answer();
  // Without types for Eden, which sends a form as `{}` and a Blob as JSON.
  const app = new Elysia();
  app.options(path, ({ request }) => preflight(request), { parse: "none" });
  app.post(path, ({ request }) => handle(request), { parse: "none" });
  return app;
}

/** One request, in the order of answers: the first check that applies is the answer. */
class Submission {
  readonly #edge: Edge;
  readonly #tools: IngestTools;
  readonly #uploads: Uploads;
  readonly #request: Request;
  readonly #source: string | undefined;
  readonly #headers: HeaderFields = {};
  /** What admitted this request, to be taken back when another limit refuses it. */
  readonly #counted: (() => void)[] = [];
  #key: AuthenticatedKey | undefined;
  #endUpload: (() => void) | undefined;
  #room: Room | undefined;

  constructor(edge: Edge, tools: IngestTools, uploads: Uploads, request: Request) {
    this.#edge = edge;
    this.#tools = tools;
    this.#uploads = uploads;
    this.#request = request;
    this.#source = tools.addresses.of(edge.peerOf(request), request.headers.get("x-forwarded-for"));
  }

  async answer(): Promise<Response> {
    const edge = this.#edge;
    const started = performance.now();
    const taken = edge.take();
    let response: Response;
    let outcome: string;
    try {
      const received = await this.#inOrder(taken);
      outcome = received.idempotent ? "repeated" : "accepted";
      response = answer(edge, 200, JSON.stringify(received), { ...this.#headers, ...cors });
      const code = received.idempotent ? "replayed" : "ok";
      edge.answered(route, 200, code, started);
      edge.arrived("reports", this.#request, { status: 200, code, made: received.eventId });
    } catch (error) {
      outcome = reasonOf(error);
      if (error instanceof RateLimited) this.#tellWait(error);
      // As in the database, an address is not kept whole.
      const source = this.#source === undefined ? "" : cutAddress(this.#source);
      const about = { reason: outcome, project: this.#key?.projectId ?? "", source, ...aboutSdk(this.#request) };
      const failed = answerError(edge, route, error, this.#headers, { lasting: cors, about });
      response = failed.response;
      edge.answered(route, response.status, failed.code, started);
      edge.arrived("reports", this.#request, { status: response.status, code: failed.code, error });
    } finally {
      this.#endUpload?.();
      this.#room?.giveBack();
      if (taken) edge.release();
    }
    this.#tools.received(this.#key?.projectId ?? "", outcome);
    countSdk(edge, this.#request, this.#key !== undefined);
    return response;
  }

  async #inOrder(taken: boolean): Promise<Received> {
    this.#limitAddress();
    const key = await this.#authenticate();
    this.#limitKey(key);
    if (!taken) throw new StoreUnavailable("shutting down");
    if (this.#tools.space().low) throw new LowSpace();
    return this.#receive(key, await readSettings(this.#edge.context.store));
  }

  #limitAddress() {
    const limiter = this.#tools.addressLimiter;
    const id = limitKeyOf(this.#source ?? "");
    const verdict = limiter?.take(id, limits.requestsPerAddress);
    if (verdict && !verdict.admitted) throw new RateLimited("address", verdict.seconds);
    if (verdict) this.#counted.push(() => limiter?.giveBack(id, verdict));
  }

  async #authenticate(): Promise<AuthenticatedKey> {
    const { headers } = this.#request;
    const key = await authenticateKey(this.#edge.context.store, bearerOf(headers));
    if (!key) throw new Refusal("invalid_sdk_key");
    this.#key = key;
    if (!allowsOrigin(key.origins, headers.get("origin"))) {
      throw new Refusal("invalid_sdk_key", undefined, {}, "origin");
    }
    return key;
  }

  #limitKey(key: AuthenticatedKey) {
    const { limiter } = this.#edge;
    const limit = key.requestsPerWindow;
    if (key.paused) {
      if (limiter) this.#tellLimit({ limit, remaining: 0, seconds: limits.pausedRetrySeconds });
      throw keyPaused();
    }
    const verdict = limiter?.take(key.id, limit);
    if (!verdict) return;
    this.#tellLimit(verdict);
    if (!verdict.admitted) throw new RateLimited("key", verdict.seconds);
    this.#counted.push(() => {
      limiter?.giveBack(key.id, verdict);
      this.#tellLimit({ ...verdict, remaining: verdict.remaining + 1 });
    });
  }

  async #receive(key: AuthenticatedKey, settings: SettingValues): Promise<Received> {
    const { context } = this.#edge;
    const { files, reader, links, stored } = this.#tools;
    const seconds = settings.upload_seconds;
    const onUpload = () => this.#beginUpload(key, settings);
    const onWritten = (bytes: number) => this.#room?.written(bytes);
    if (isUpload(this.#request)) {
      await requireRoomToday(context.store, key.projectId, context.now(), settings.daily_bytes);
    }
    const parts = await readParts(this.#edge, this.#request, { files, seconds, onUpload, onWritten });
    try {
      const readingMilliseconds = this.#edge.limiter ? readingMillisecondsOf(key) : Number.POSITIVE_INFINITY;
      const { envelope, attachments } = await findEnvelope(parts, reader, key.id, readingMilliseconds);
      const userAgent = this.#request.headers.get("user-agent");
      const report = {
        keyId: key.id,
        projectId: key.projectId,
        envelope,
        attachments,
        userAgent: userAgent === null ? null : indexText(userAgent),
        sourceIp: keptAddress(this.#source, settings.source_ip),
        dedupDays: settings.dedup_days,
        readingMilliseconds,
        dailyBytes: settings.daily_bytes,
      };
      const { warnings, ...received } = await receiveReport({
        ctx: context,
        tools: { files, reader, links, stored },
        input: report,
      });
      if (received.deliveryCount > 0 && !received.idempotent) this.#tools.enqueued();
      return { status: "received", ...received, ...(warnings.length > 0 ? { warnings } : {}) };
    } finally {
      await discardParts(parts);
    }
  }

  #beginUpload(key: AuthenticatedKey, settings: SettingValues) {
    try {
      this.#endUpload = this.#uploads.begin(key.id, limitKeyOf(this.#source ?? ""), {
        perKey: settings.uploads_per_key,
        perAddress: settings.uploads_per_address,
        total: settings.uploads_total,
      });
      const body = Math.min(declaredLength(this.#request) ?? limits.ingestBodyBytes, limits.ingestBodyBytes);
      // An envelope stands in its own file, in the write-ahead log and in the database for a moment.
      this.#room = this.#tools.room.take(body, 2 * Math.min(body, limits.packedEnvelopeBytes));
      if (!this.#room) throw new LowSpace();
    } catch (error) {
      for (const takeBack of this.#counted) takeBack();
      throw error;
    }
  }

  /** RateLimit header fields as the IETF draft has them, on every answer to a valid key. */
  #tellLimit({ limit, remaining, seconds }: Pick<Verdict, "limit" | "remaining" | "seconds">) {
    this.#headers["ratelimit-policy"] = `"key";q=${limit};w=${limits.windowSeconds}`;
    this.#headers["ratelimit"] = `"key";r=${remaining};t=${seconds}`;
  }

  #tellWait({ seconds }: RateLimited) {
    this.#headers["retry-after"] = String(seconds);
    const told = this.#headers["ratelimit"];
    if (told !== undefined) this.#headers["ratelimit"] = told.replace(/t=\d+$/, `t=${seconds}`);
  }
}

/** A key with a higher limit of requests may take more. */
function readingMillisecondsOf({ requestsPerWindow }: AuthenticatedKey): number {
  return limits.readingSeconds * 1_000 * Math.max(1, requestsPerWindow / limits.requestsPerWindow);
}

/** 503 for reports only: what is left of the disk is for tickets and for tidying up. */
class LowSpace extends StoreUnavailable {
  constructor() {
    super("little space is left on the disk");
  }
}

/** The outcome of a refused report for metrics and log, from a closed set. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.reason ?? error.code;
  if (error instanceof LowSpace) return "low_space";
  return error instanceof StoreUnavailable ? "storage" : "internal_error";
}

function keptAddress(source: string | undefined, mode: SettingValues["source_ip"]): string | null {
  if (source === undefined || mode === "off") return null;
  return mode === "full" ? source : cutAddress(source);
}
