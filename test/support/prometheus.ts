/** One line of metrics. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

const sampleShape = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelShape = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const suffixes: Record<string, string[]> = { histogram: ["_bucket", "_sum", "_count"], counter: [""], gauge: [""] };

/** Reads the text format 0.0.4 of Prometheus strictly; throws where the text breaks its rules. */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, Family>();
  let name = "";
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const comment = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (comment) {
      const [, kind, of = "", rest = ""] = comment;
      if (kind === "HELP") {
        if (families.has(of)) throw new Error(`${of} comes twice`);
        families.set(of, { type: "", help: rest, samples: [] });
        name = of;
      } else if (of !== name || !suffixes[rest]) throw new Error(`no such type: ${line}`);
      else family(families, of).type = rest;
      continue;
    }
    const sample = readSample(line);
    const { type, samples } = family(families, name);
    if (!suffixes[type]?.some((suffix) => sample.name === name + suffix)) throw new Error(`${line} is not of ${name}`);
    const same = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (samples.some((other) => JSON.stringify([other.name, Object.entries(other.labels).sort()]) === same)) {
      throw new Error(`${line} comes twice`);
    }
    samples.push(sample);
  }
  for (const [of, { type, samples }] of families) if (type === "histogram") checkHistogram(of, samples);
  return families;
}

function family(families: Map<string, Family>, name: string): Family {
  const found = families.get(name);
  if (!found) throw new Error(`${name} has no HELP`);
  return found;
}

function readSample(line: string): Sample {
  const [, name = "", inner, digits = ""] = sampleShape.exec(line) ?? [];
  const value = digits === "+Inf" ? Number.POSITIVE_INFINITY : Number(digits);
  if (name === "" || Number.isNaN(value)) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  labelShape.lastIndex = 0;
  let read = 0;
  while (inner !== undefined && read < inner.length) {
    const [whole = "", label = "", text = ""] = labelShape.exec(inner) ?? [];
    if (whole === "" || label in labels) throw new Error(`wrong labels: ${line}`);
    labels[label] = text;
    read += whole.length;
  }
  return { name, labels, value };
}

function checkHistogram(name: string, samples: readonly Sample[]) {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, own] of series) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le } }) => (le === "+Inf" ? Number.POSITIVE_INFINITY : Number(le)));
    const count = own.find((sample) => sample.name === `${name}_count`)?.value;
    const ascending = (list: number[], strictly: boolean) => {
      return list.every((one, i) => i === 0 || one > (list[i - 1] ?? 0) || (!strictly && one === list[i - 1]));
    };
    const sound =
      ascending(bounds, true) &&
      bounds.at(-1) === Number.POSITIVE_INFINITY &&
      ascending(
        buckets.map(({ value }) => value),
        false,
      ) &&
      buckets.at(-1)?.value === count &&
      own.some((sample) => sample.name === `${name}_sum`);
    if (!sound) throw new Error(`${name}${key} is no histogram`);
  }
}
