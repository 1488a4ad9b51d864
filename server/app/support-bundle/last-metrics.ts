const milliseconds = 5_000;
const bytesMax = 4 * 1_048_576;

/** What the running server tells at /metrics now, without what senders chose. */
export async function lastMetrics(url: string | undefined): Promise<string> {
  // The address comes from a file in the data directory; `fetch` would read files too.
  if (url !== undefined && !/^https?:\/\/[^/]+\/metrics$/.test(url)) throw new Error("lock.json names no /metrics");
  if (url === undefined) return "no server with metrics runs on this data directory\n";
  const response = await fetch(url, { signal: AbortSignal.timeout(milliseconds), redirect: "error" });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`it has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  const lines = Buffer.concat(chunks)
    .toString()
    .split("\n")
    .filter((line) => !line.startsWith("intake_sdk_requests_total{"));
  return lines.join("\n");
}
