import { type Signal, signal } from "@preact/signals";

/** Whether the window is as narrow as a phone; the style sheet uses the same width. */
export const narrow = below(760);

/** Whether the window is too narrow for two panes, so that list and detail are two views. */
export const single = below(1_100);

function below(width: number): Signal<boolean> {
  const query = matchMedia(`(max-width: ${width}px)`);
  const is = signal(query.matches);
  query.addEventListener("change", () => {
    is.value = query.matches;
  });
  return is;
}
