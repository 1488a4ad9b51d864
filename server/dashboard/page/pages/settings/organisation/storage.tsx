import { bytes, compact, whole } from "../../../core/format.ts";
import { Note } from "../../../parts/note.tsx";
import { Table } from "../../../parts/table.tsx";
import type { OrganisationData } from "../organisation.tsx";

export function Storage({ data: { storage } }: { data: OrganisationData }) {
  const { projects, databaseBytes, freeBytes, low, trouble, clock } = storage;
  return (
    <section class="stacked" aria-label="Storage">
      <h2>Storage</h2>
      {trouble !== null && <Note tone="err">Nothing can be stored at the moment: {trouble}.</Note>}
      {low && trouble === null && <Note>Space runs out: reports are refused with 503, and tickets soon will be.</Note>}
      {clock !== null && <Note>{clock.slice(0, 1).toUpperCase() + clock.slice(1)}.</Note>}
      <dl class="facts">
        <div>
          <dt>Database</dt>
          <dd class="digits">{bytes(databaseBytes)}</dd>
        </div>
        <div>
          <dt>Free on the disk</dt>
          <dd class="digits">{bytes(freeBytes)}</dd>
        </div>
      </dl>
      {projects.length > 0 && (
        <Table
          columns={[
            "Project",
            { name: "Reports", class: "align-right" },
            { name: "Envelopes", class: "align-right" },
            { name: "Attachments", class: "align-right" },
            { name: "Today", class: "align-right" },
          ]}
        >
          {projects.map((project) => (
            <tr key={project.id}>
              <td dir="auto">{project.name}</td>
              <td data-label="Reports" class="align-right digits" title={whole(project.events)}>
                {compact(project.events)}
              </td>
              <td data-label="Envelopes" class="align-right digits">
                {bytes(project.reportsBytes)}
              </td>
              <td data-label="Attachments" class="align-right digits">
                {bytes(project.attachmentsBytes)}
              </td>
              <td data-label="Today" class="align-right digits">
                {bytes(project.todayBytes)}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
