import { type Signal, signal } from "@preact/signals";

/** The window is as narrow as a phone. The style sheet has the same width. */
export const narrow = below(760);

/** Too narrow for two panes: list and detail are two views. */
export const single = below(1_100);

function below(width: number): Signal<boolean> {
  const query = matchMedia(`(max-width: ${width}px)`);
  const is = signal(query.matches);
  query.addEventListener("change", () => {
    is.value = query.matches;
  });
  return is;
}
