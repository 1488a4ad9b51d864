/** Where a request stands in a trace of its caller or proxy, named as OpenTelemetry names the fields of a log line. */
interface TraceFields {
  trace_id: string;
  /** The span of whoever sent the request here: Intake makes no span of its own. */
  span_id: string;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const zeros = /^0+$/;
/** A `traceparent` of a later version may be longer; no proxy sends more than this. */
const lengthMax = 256;

/**
 * Reads `traceparent` as W3C Trace Context (3.2) wants it: lower case only, no version `ff`, nothing after the flags of
 * version `00`, no id of zeros alone. Anything else, and a header that came twice, is ignored as if it were not there.
 */
export function traceOf({ headers }: Request): TraceFields | undefined {
  const header = headers.get("traceparent");
  if (header === null || header.length > lengthMax) return undefined;
  const [, version, trace_id = "", span_id = "", more] = shape.exec(header) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  // Two headers are joined by Bun with a comma, which no version of the format has.
  if (more?.includes(",") || zeros.test(trace_id) || zeros.test(span_id)) return undefined;
  return { trace_id, span_id };
}
