import { boot } from "../../core/boot.ts";
import { Empty } from "../../parts/states.tsx";
import { type Range, rangeWords } from "./range.ts";

/**
 * Shown for an empty list. Before the first report it says how to send one; when no report matches, which filter to
 * leave out.
 */
export function NoReports({
  query,
  range,
  onQuery,
  onRange,
  projectId,
}: {
  projectId: string;
  query: string;
  range: Range;
  onQuery: (query: string) => void;
  onRange: (range: Range) => void;
}) {
  const wider: Range = { span: "30d" };
  const widest = "span" in range && range.span === "30d";
  if (query === "" && widest) {
    return (
      <Empty
        action={
          <a class="btn" href="/settings/keys">
            Show the SDK keys
          </a>
        }
        command={commandOf(boot.value.ingestUrl)}
      >
        No report came in the last 30 days. Send one with an SDK key of this project:
      </Empty>
    );
  }
  return (
    <Empty
      key={projectId}
      action={
        <span class="row">
          {query !== "" && (
            <button type="button" class="btn" onClick={() => onQuery("")}>
              Clear the filter
            </button>
          )}
          {!widest && (
            <button type="button" class="btn" onClick={() => onRange(wider)}>
              Show the last 30 days
            </button>
          )}
        </span>
      }
    >
      {query === "" ? (
        <>No report was received in {rangeWords(range)}.</>
      ) : (
        <>
          No report of {rangeWords(range)} fits <code dir="auto">{query}</code>.
        </>
      )}
    </Empty>
  );
}

function commandOf(ingestUrl: string): string {
  return `curl ${ingestUrl}/api/ingest -H "Authorization: Bearer $INTAKE_KEY" \\\n  -F 'envelope={"type":"crash","title":"First report"};type=application/json'`;
}
