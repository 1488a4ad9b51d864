import type { Row } from "../../core/store.ts";
import type { Finding } from "../rule.ts";

export interface FoundSubscriber extends Row {
  id: string;
  name: string | null;
  url: string;
  project_id: string | null;
}

/** A finding about a subscriber. Its name, or the host of its address: the path of an address may be a secret. */
export function bySubscriber({ id, name, url, project_id }: FoundSubscriber, text: string): Finding {
  return { subject: id, projectId: project_id, name: name ?? new URL(url).host, text, path: `/subscribers/${id}` };
}
