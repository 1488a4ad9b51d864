import { signal } from "@preact/signals";

const query = matchMedia("(max-width: 760px)");

/** A phone: list and detail are two views there. The style sheet has the same width. */
export const narrow = signal(query.matches);

query.addEventListener("change", () => {
  narrow.value = query.matches;
});
