/** Where objects are kept, without the credentials. */
export interface S3Address {
  bucket: string;
  /** What the keys of all objects begin with: empty, or a path that ends with a slash. */
  prefix: string;
  region: string;
  /** Scheme, host and port. */
  endpoint: string;
  /** Whether the bucket is the first segment of the path, not part of the host name. */
  pathStyle: boolean;
}

const form = "s3://BUCKET/PREFIX?region=REGION&endpoint=https://HOST&path-style=true";
const parameters = ["region", "endpoint", "path-style"];

/**
 * Reads an address such as `s3://bucket/prefix?region=eu-central-1`. The region may come from AWS_REGION or
 * AWS_DEFAULT_REGION, where an environment is given. Without an endpoint the address is one of AWS. Errors never repeat the address: somebody may have
 * written a secret into it.
 */
export function readS3Address(text: string, environment?: Record<string, string | undefined>): S3Address {
  const url = URL.parse(text);
  if (url?.protocol !== "s3:" || !text.startsWith("s3://")) throw new Error(`must have the form ${form}`);
  if (url.username !== "" || url.password !== "" || text.includes("@"))
    throw new Error(`must not hold credentials: ${where}`);
  if (url.port !== "" || url.hash !== "") throw new Error(`must have the form ${form}`);
  const given = parametersOf(url.searchParams);
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes("..")) {
    throw new Error("the bucket must have 3 to 63 lower-case letters, digits, hyphens and dots");
  }
  const endpoint = given.endpoint === undefined ? undefined : endpointOf(given.endpoint);
  const region = regionOf(given.region, environment, endpoint);
  return {
    bucket,
    prefix: prefixOf(url.pathname),
    region,
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
    // A certificate for *.s3.… does not cover a bucket with a dot.
    pathStyle: pathStyleOf(given["path-style"]) ?? (endpoint !== undefined || bucket.includes(".")),
  };
}

const where =
  "the key stands in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in files that AWS_ACCESS_KEY_ID_FILE and AWS_SECRET_ACCESS_KEY_FILE name";

function parametersOf(search: URLSearchParams): Record<string, string | undefined> {
  const given: Record<string, string> = {};
  for (const [name, value] of search) {
    if (/key|secret|token|password|credential|signature/i.test(name))
      throw new Error(`must not hold credentials: ${where}`);
    if (!parameters.includes(name)) throw new Error(`may have the parameters ${parameters.join(", ")} and no others`);
    if (given[name] !== undefined) throw new Error(`the parameter ${name} stands there twice`);
    given[name] = value;
  }
  return given;
}

/** Only characters that are the same in a path, in XML and in a signature. */
function prefixOf(path: string): string {
  const prefix = path.replace(/^\/|\/$/g, "");
  if (prefix === "") return "";
  const segments = prefix.split("/");
  if (prefix.length > 512 || !segments.every((segment) => /^[\w.-]+$/.test(segment) && !/^\.+$/.test(segment))) {
    throw new Error("the prefix must be made of letters, digits, hyphens, underscores and dots, with slashes between");
  }
  return `${prefix}/`;
}

function endpointOf(text: string): string {
  const url = URL.parse(text);
  if (url?.username || url?.password) throw new Error(`must not hold credentials: ${where}`);
  const bare = url && url.pathname === "/" && url.search === "" && url.hash === "";
  if (!bare || !/^https?:$/.test(url.protocol)) {
    throw new Error("the endpoint must be https://HOST or http://HOST, without a path");
  }
  return url.origin;
}

function regionOf(
  region: string | undefined,
  environment: Record<string, string | undefined> | undefined,
  endpoint: string | undefined,
): string {
  const usual = environment?.["AWS_REGION"] || environment?.["AWS_DEFAULT_REGION"];
  const found = region || usual || (endpoint === undefined ? undefined : "us-east-1");
  if (found === undefined) throw new Error(`names no region: add ?region=…${environment ? " or set AWS_REGION" : ""}`);
  if (!/^[a-z0-9-]{2,40}$/.test(found))
    throw new Error("the region must be made of lower-case letters, digits and hyphens");
  return found;
}

function pathStyleOf(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw new Error("the parameter path-style must be true or false");
  return text === "true";
}

/** The URL of an object, or of the bucket when `key` is empty. */
export function objectUrl({ bucket, endpoint, pathStyle }: S3Address, key: string): URL {
  if (pathStyle) return new URL(`${endpoint}/${bucket}/${key}`);
  const url = new URL(`${endpoint}/${key}`);
  url.hostname = `${bucket}.${url.hostname}`;
  return url;
}
