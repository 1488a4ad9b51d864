import type { ChangeEvent } from "../core/change-event.ts";
import { Refusal } from "../core/context.ts";
import { credentialKindOf, credentialNames, hasCredentialForm, hideCredentials, prefixes } from "../core/credential.ts";
import { bearerOf } from "../http/bearer.ts";
import type { Answered } from "../http/edge.ts";

const kept = 100;
const tellMilliseconds = 50;
const detailsMax = 3;
const textMax = 300;

/** A request of one of the two APIs, as an admin sees it: a refusal with its true cause, which its caller is not told. */
export interface RecentRequest {
  id: string;
  at: string;
  api: "tickets" | "reports";
  status: number;
  code: string;
  /** Id of the ticket or of the stored report. */
  made?: string;
  cause?: string;
}

/** The newest requests that other processes of the installation have answered. */
export interface RecentRequestsOfOthers {
  /** What the others are shown while somebody asks for the newest requests: `count` differs once there are new ones. */
  share(own: () => { count: number; requests: readonly RecentRequest[] }): void;
  /** Those of all other processes, in any order. */
  list(): Promise<RecentRequest[]>;
}

/** The newest requests of both APIs, in memory. Values of credentials are never part of them. */
export class RecentRequests {
  readonly #ring: (Omit<RecentRequest, "at"> & { at: number })[] = [];
  readonly #now: () => number;
  readonly #tell: (change: ChangeEvent) => void;
  readonly #others: RecentRequestsOfOthers | undefined;
  #count = 0;
  #telling: Timer | undefined;

  constructor({
    now,
    tell,
    others,
  }: {
    now: () => number;
    tell: (change: ChangeEvent) => void;
    others: RecentRequestsOfOthers | undefined;
  }) {
    this.#now = now;
    this.#tell = tell;
    this.#others = others;
    others?.share(() => ({ count: this.#count, requests: this.#own() }));
  }

  add(api: RecentRequest["api"], request: Request, { status, code, made, error }: Answered) {
    const id = String(++this.#count);
    const cause = error === undefined ? undefined : causeOf(api, request, error);
    this.#ring[this.#count % kept] = {
      id,
      at: this.#now(),
      api,
      status,
      code,
      ...(made === undefined ? {} : { made }),
      ...(cause === undefined ? {} : { cause: hideCredentials(cause, "…").slice(0, textMax) }),
    };
    if (this.#telling) return;
    this.#telling = setTimeout(() => {
      this.#telling = undefined;
      this.#tell({ kind: "arrival", id: "arrivals" });
    }, tellMilliseconds);
    this.#telling.unref();
  }

  /** The newest requests to all processes, newest first. */
  async list(): Promise<RecentRequest[]> {
    // Without the database those of this process are still worth showing: they say why requests are refused.
    const others = (await this.#others?.list().catch(() => [])) ?? [];
    if (others.length === 0) return this.#own();
    const all = [...this.#own(), ...others];
    return all.sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)).slice(0, kept);
  }

  #own(): RecentRequest[] {
    const newest = Array.from({ length: kept }, (_, i) => this.#ring[(this.#count - i + kept) % kept]);
    return newest.flatMap((entry) => (entry ? [{ ...entry, at: new Date(entry.at).toISOString() }] : []));
  }
}

function causeOf(api: RecentRequest["api"], request: Request, error: unknown): string | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.reason === "origin") return "The page's origin is not on the key's list.";
  if (error.code === "invalid_api_token" || error.code === "invalid_sdk_key") return credentialCause(api, request);
  const because = error.reason === undefined ? undefined : reasons[error.reason];
  if (because) return because;
  const { details } = error.members;
  if (!details) return error.message;
  const named = details.slice(0, detailsMax).map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  return details.length > detailsMax ? `${named.join(" ")} And ${details.length - detailsMax} more.` : named.join(" ");
}

const reasons: Record<string, string> = {
  absent: "There is no such project.",
  out_of_reach: "The project exists, but this token does not reach it.",
  archived: "The project is archived.",
  reaches_nothing: "The token reaches no project.",
};

function credentialCause(api: RecentRequest["api"], request: Request): string {
  const kind = api === "tickets" ? "token" : "key";
  const wanted = `an ${credentialNames[kind]}`;
  const header = request.headers.get("authorization");
  if (header === null) return `There is no Authorization header. Send ${wanted} as Bearer.`;
  const value = bearerOf(request.headers);
  if (value === undefined) return `The Authorization header is not one Bearer credential. Send ${wanted}.`;
  const given = credentialKindOf(value);
  if (given === undefined) return `This is not ${wanted}: those begin with ${prefixes[kind]}.`;
  if (given !== kind) return `This is an ${credentialNames[given]}; ${api} need ${wanted}.`;
  if (!hasCredentialForm(value)) return `It looks like ${wanted}, but it is cut off or mistyped.`;
  return `No such ${credentialNames[kind]} is active: it is revoked, or of another installation.`;
}
