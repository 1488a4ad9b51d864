import { contents, contentsButton, type Group } from "./contents.ts";
import { envelopeSection } from "./envelope.ts";
import { errorSection } from "./error-codes.ts";
import { limitSection } from "./limits.ts";
import { operationSection } from "./operation.ts";
import { credentials, overview } from "./overview.ts";
import { type Api, loadApi } from "./parts/api.ts";
import { h } from "./parts/dom.ts";
import { search } from "./search.ts";

const main = document.querySelector("main") as HTMLElement;
const rail = document.querySelector("#rail") as HTMLElement;

try {
  const api = await loadApi();
  const groups = groupsOf(api);
  main.replaceChildren(...groups.flatMap(({ sections }) => sections));
  const nav = contents(groups);
  rail.append(search(main), contentsButton(nav), nav);
  addEventListener("hashchange", showTarget);
  showTarget();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  main.replaceChildren(h("p", { role: "alert" }, `The reference cannot be shown: ${reason}. Reload to try again.`));
}

/** Sections in the order of the document's tags; the envelope stands with the operation that sends it. */
function groupsOf(api: Api): Group[] {
  const tagged = api.tags.map(({ name }) => {
    const sections = api.operations
      .filter(({ tags }) => tags.includes(name))
      .map((operation) => operationSection(api, operation));
    const sendsEnvelope = sections.some(({ id }) => id === "submitReport");
    return { title: name, sections: sendsEnvelope ? [...sections, envelopeSection(api)] : sections };
  });
  return [
    { title: "Start", sections: [overview(api), credentials(api)] },
    // Webhooks are in the document, but nobody can call them here.
    ...tagged.filter(({ sections }) => sections.length > 0),
    { title: "All operations", sections: [errorSection(api), limitSection(api)] },
  ];
}

/** Opens the target of a link, which may be folded away or may not have existed when the browser looked for it. */
function showTarget() {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  if (!target) return;
  for (let around = target.closest("details"); around; around = around.parentElement?.closest("details") ?? null) {
    around.open = true;
  }
  target.scrollIntoView();
}

/** A mangled link leads nowhere and must not break the page. */
function decoded(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
