import type { Api } from "./parts/api.ts";
import { h } from "./parts/dom.ts";
import { memberList, membersOf } from "./parts/members.ts";
import { prose } from "./parts/prose.ts";

/** The members of the envelope, which the form carries as a file and the operation therefore does not list. */
export function envelopeSection({ schemas }: Api): HTMLElement {
  const schema = schemas["ReportEnvelope"] ?? {};
  return h(
    "section",
    { id: "envelope", "data-nav": "The envelope", "data-find": "The envelope · members of a report" },
    h("h2", {}, "The envelope"),
    ...prose(schema.description),
    memberList("envelope", "envelope", membersOf(schema)),
  );
}
