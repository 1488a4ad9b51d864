import type { Example } from "../parts/api.ts";
import { select } from "./field.ts";

/**
 * The choice of an example, the simplest first. `fill` is called with the first example at once and with each choice.
 */
export function exampleSelect(id: string, examples: Record<string, Example>, fill: (value: unknown) => void) {
  const sorted = Object.values(examples).sort((a, b) => sizeOf(a) - sizeOf(b));
  const choice = select(
    id,
    sorted.map(({ summary }, index) => [String(index), summary]),
  );
  const filled = () => fill(sorted[choice.selectedIndex]?.value);
  choice.addEventListener("change", filled);
  filled();
  return choice;
}

function sizeOf({ value }: Example): number {
  return Object.keys(value as object).length;
}
