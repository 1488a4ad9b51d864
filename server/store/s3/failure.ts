import type { S3Address } from "../../core/s3-address.ts";
import { StoreUnavailable } from "../../core/store.ts";
import { textOf } from "./xml.ts";

/** Object storage did not do what it was asked. The same call may succeed later. */
export class ObjectStorageUnavailable extends StoreUnavailable {
  override readonly retrySeconds = 5;
}

/** Why one try failed. */
export class Failure extends Error {
  /** Whether another try may succeed. */
  readonly passing: boolean;
  /** Whether the key was refused. */
  readonly denied: boolean;

  constructor(message: string, { passing = false, denied = false } = {}) {
    super(message);
    this.passing = passing;
    this.denied = denied;
  }
}

/** Codes of refusals that pass by themselves although their status is below 500. */
const passing = new Set([
  ...["RequestTimeout", "SlowDown", "OperationAborted", "ConditionalRequestConflict"],
  // The bytes that arrived are not those that were sent.
  ...["XAmzContentSHA256Mismatch", "BadDigest", "IncompleteBody"],
]);

/** Names the failure that an answer tells, for an operator: the log, health, `intake doctor`. */
export function failureOf(response: Response, body: string, { region }: S3Address): Failure {
  const { status, headers } = response;
  // The answer to HEAD has no body, and so no code.
  const code = (textOf(body, "Code") ?? "").replace(/[^\w.-]/g, "").slice(0, 60);
  const named = code === "" ? String(status) : `${status} ${code}`;
  if (code === "RequestTimeTooSkewed") return new Failure(skewed(headers.get("date")));
  const wanted = headers.get("x-amz-bucket-region") ?? textOf(body, "Region");
  if (wanted && wanted !== region && (status <= 400 || status === 403)) {
    return new Failure(`the bucket is in the region ${wanted.replace(/[^\w-]/g, "")}, but the address says ${region}`);
  }
  if (status < 400) {
    return new Failure(`object storage redirects (${named}): the endpoint or the region is not the bucket's`);
  }
  if (code === "NoSuchBucket") return new Failure("the bucket does not exist");
  if (status >= 500 || status === 429 || passing.has(code)) {
    return new Failure(`object storage answers ${named}`, { passing: true });
  }
  const denied = status === 403 || code === "ExpiredToken" || code === "InvalidToken";
  return new Failure(`object storage refuses the request (${named})`, { denied });
}

/** Object storage accepts signatures that are at most 15 minutes old or ahead. */
function skewed(date: string | null): string {
  const seconds = Math.round((Date.now() - Date.parse(date ?? "")) / 1_000);
  if (Number.isNaN(seconds)) return "this machine's clock is too far from that of object storage: set it right";
  const far = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"}`;
  return `this machine's clock is ${far} that of object storage: set it right`;
}
