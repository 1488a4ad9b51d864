-- The last part of every script for wrk: one line of JSON for wrk.ts.
local format = string.format

function done(summary, latency)
  local errors = summary.errors
  io.write(format(
    '\n{"answers":%d,"refusals":%d,"broken":%d,"seconds":%.6f,"p50Milliseconds":%.3f,"p99Milliseconds":%.3f}\n',
    summary.requests - errors.status, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
