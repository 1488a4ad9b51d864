import { useState } from "preact/hooks";
import type { PageProps } from "../../core/page-props.ts";
import { go, place } from "../../core/router.ts";
import { Bar } from "../../shell/bar.tsx";
import type { ReportDetail } from "../reports/types.ts";
import { Detail } from "./detail.tsx";
import { isList, listAddress } from "./place.ts";

/** A report without its list: its address was opened, or it lies over another page. */
export default function Report({ params }: PageProps) {
  const [shown, setShown] = useState<{ report: ReportDetail | undefined }>();
  const { behind } = place.value;
  // The list of reports shows the report beside itself.
  if (isList(behind)) return null;
  const report = shown?.report;
  const list = report && listAddress(report.projectId, {});
  return (
    <div class={behind === undefined ? "contents" : "over"}>
      <Bar
        crumbs={[
          ...(report && list
            ? [
                { text: report.projectName, to: `/p/${report.projectId}` },
                { text: "Reports", to: list },
              ]
            : []),
          report ? (report.title ?? "(untitled)") : "Report",
        ]}
        loading={!shown}
      >
        {behind !== undefined && (
          <button type="button" class="btn hide-narrow" onClick={() => go(behind, { replace: true })}>
            Close
          </button>
        )}
      </Bar>
      <main id={behind === undefined ? "main" : undefined} class="alone">
        <h1 class="sr-only">Report</h1>
        <Detail
          id={params["report"] ?? ""}
          onShown={(report) => setShown({ report })}
          onFilter={(term, { projectId, receipt }) =>
            go(listAddress(projectId, { q: term, range: isOld(receipt.at) ? "30d" : undefined }))
          }
          onDeleted={({ projectId }) => go(behind ?? listAddress(projectId, {}), { replace: true })}
        />
      </main>
    </div>
  );
}

const day = 86_400_000;

/** Whether the report was received before the range that the list shows by default. */
function isOld(at: string): boolean {
  return Date.now() - Date.parse(at) > day;
}
