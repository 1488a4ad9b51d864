import { bytes } from "../../../core/format.ts";
import { span } from "../../../core/time.ts";
import { Table } from "../../../parts/table.tsx";
import { Ago } from "../../../parts/time.tsx";
import type { BackupsData } from "../backups.tsx";

const origins = { schedule: "Schedule", page: "This page", command: "Command line" };

/** How the newest tries went, with the words of each failure. */
export function BackupTries({ tries }: { tries: BackupsData["tries"] }) {
  return (
    <section class="stacked" aria-label="Latest tries">
      <h2>Latest tries</h2>
      <Table
        columns={[
          "Began",
          "By",
          "Result",
          { name: "New", class: "align-right" },
          { name: "Took", class: "align-right" },
        ]}
      >
        {tries.map((tried) => (
          <tr key={tried.number}>
            <td>
              <Ago at={tried.startedAt} words />
            </td>
            <td data-label="By">{origins[tried.origin]}</td>
            <td data-label="Result">
              <Result tried={tried} />
            </td>
            <td data-label="New" class="align-right digits">
              {tried.addedBytes === null ? "–" : bytes(tried.addedBytes)}
            </td>
            <td data-label="Took" class="align-right digits">
              {tried.endedAt === null ? "–" : span(Date.parse(tried.endedAt) - Date.parse(tried.startedAt))}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function Result({ tried }: { tried: BackupsData["tries"][number] }) {
  const { backupId, failure, verifiedAt, verifyFailure, target } = tried;
  return (
    <span class="two-lines">
      <span>
        {backupId === null ? (
          <span class={`pill ${failure === null ? "" : "err"}`}>{failure === null ? "Under way" : "Failed"}</span>
        ) : (
          <span class={`pill ${verifyFailure === null ? "ok" : "err"}`}>
            {verifyFailure !== null ? "Not sound" : verifiedAt === null ? "Made" : "Verified"}
          </span>
        )}{" "}
        {backupId !== null && <code>{backupId}</code>}
      </span>
      <small>{verifyFailure ?? failure ?? target}</small>
    </span>
  );
}
