import { listEvents } from "../../../server/ingest/list-events.ts";
import { storedEnvelope } from "../../support/ingest.ts";
import type { Installation } from "../../support/installation.ts";
import type { SentEnvelope } from "../cases/form.ts";

/** The envelopes of all events of the project, in the order in which they were received. */
export async function storedEnvelopes(installation: Installation): Promise<SentEnvelope[]> {
  const { ctx, made } = installation;
  const envelopes: SentEnvelope[] = [];
  let cursor: string | undefined;
  do {
    const page = await listEvents({ ctx, input: { projectId: made.project.id, limit: 200, cursor } });
    for (const { id } of page.items) {
      envelopes.unshift(JSON.parse(Buffer.from(await storedEnvelope(installation, id)).toString()) as SentEnvelope);
    }
    cursor = page.next ?? undefined;
  } while (cursor);
  return envelopes;
}
