import type { IngestOptions } from "@intake/client/ingest";
import { newSdkKey } from "../../support/ingest.ts";
import type { Target } from "../../support/targets.ts";
import { type Fault, type FaultyWay, faultyWay } from "./faulty-way.ts";
import { type Watched, watchedClient } from "./watched.ts";

export type ClientBehind = Watched & { way: FaultyWay };

/** A client with an SDK key of its own, and a proxy with these faults between it and Intake. */
export async function clientBehind(
  { installation, url }: Target,
  faults: Fault[] = [],
  options: Partial<IngestOptions> = {},
): Promise<ClientBehind> {
  const { key } = await newSdkKey(installation);
  const way = await faultyWay(url, faults);
  return { way, ...watchedClient({ ingestUrl: way.url, key, ...options }) };
}
