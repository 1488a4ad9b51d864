import { behindMax } from "../../../core/behind-max.ts";
import { whole } from "../core/format.ts";

/** Says how many new cards or reports a search does not find yet; nothing while it finds all of them. */
export function NotFoundYet({ cards = 0, reports = 0 }: { cards?: number | undefined; reports?: number | undefined }) {
  const [of, are] = [numberOf(cards, "card"), numberOf(reports, "report")].filter((some) => some !== "");
  if (of === undefined) return null;
  const verb = cards + reports === 1 ? "is" : "are";
  return (
    <p class="none dim">
      {are === undefined ? of : `${of} and ${are}`} {verb} not found yet.
    </p>
  );
}

function numberOf(count: number, one: string): string {
  if (count === 0) return "";
  return `${whole(count)}${count >= behindMax ? " or more" : ""} new ${one}${count === 1 ? "" : "s"}`;
}
