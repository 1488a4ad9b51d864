import { bytes, compact, whole } from "../../../core/format.ts";
import { Note } from "../../../parts/note.tsx";
import type { OrganisationData } from "../organisation.tsx";

export function Storage({ data: { storage } }: { data: OrganisationData }) {
  const { projects, databaseBytes, freeBytes, low, trouble, clock } = storage;
  return (
    <section class="pile" aria-label="Storage">
      <h2>Storage</h2>
      {trouble !== null && <Note tone="err">Nothing can be stored at the moment: {trouble}.</Note>}
      {low && trouble === null && <Note>Space runs out: reports are refused with 503, and tickets soon will be.</Note>}
      {clock !== null && <Note>{clock.slice(0, 1).toUpperCase() + clock.slice(1)}.</Note>}
      <dl class="facts">
        <div>
          <dt>Database</dt>
          <dd class="num">{bytes(databaseBytes)}</dd>
        </div>
        <div>
          <dt>Free on the disk</dt>
          <dd class="num">{bytes(freeBytes)}</dd>
        </div>
      </dl>
      {projects.length > 0 && (
        <div class="sheet">
          <table class="table lines">
            <thead>
              <tr>
                <th>Project</th>
                <th class="r">Reports</th>
                <th class="r">Envelopes</th>
                <th class="r">Attachments</th>
                <th class="r">Today</th>
              </tr>
            </thead>
            <tbody>
              {projects.map((project) => (
                <tr key={project.id}>
                  <td dir="auto">{project.name}</td>
                  <td data-label="Reports" class="r num" title={whole(project.events)}>
                    {compact(project.events)}
                  </td>
                  <td data-label="Envelopes" class="r num">
                    {bytes(project.reportsBytes)}
                  </td>
                  <td data-label="Attachments" class="r num">
                    {bytes(project.attachmentsBytes)}
                  </td>
                  <td data-label="Today" class="r num">
                    {bytes(project.todayBytes)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
