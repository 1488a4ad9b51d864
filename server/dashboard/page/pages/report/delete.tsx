import { say } from "../../core/say.ts";
import { day } from "../../core/time.ts";
import { Confirm } from "../../parts/confirm.tsx";
import type { ReportDetail } from "../reports/types.ts";
import { deleteReport } from "./calls.ts";

export function DeleteReport({
  report: { id, title, suppressedUntil },
  onClose,
  onDeleted,
}: {
  report: ReportDetail;
  onClose: () => void;
  onDeleted: () => void;
}) {
  return (
    <Confirm
      title="Delete this report?"
      verb="Delete report"
      onClose={onClose}
      onConfirm={async () => {
        await deleteReport(id);
        say("Report deleted");
        onDeleted();
      }}
    >
      <p class="strong ellipsis" dir="auto">
        {title ?? "(untitled)"}
      </p>
      <p>The report and its files go now.</p>
      <p>
        {suppressedUntil === null
          ? "The same report sent again by a device is a new one."
          : `The same report sent again by a device stays suppressed until ${day(suppressedUntil)}, so it will not come back.`}
      </p>
    </Confirm>
  );
}
