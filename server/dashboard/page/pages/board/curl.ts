import { boot } from "../../core/boot.ts";

/** A command that creates a ticket in this column, ready to be pasted into a shell that has INTAKE_TOKEN. */
export function curlFor(projectId: string, boardId: string, columnId: string): string {
  const body = { projectId, boardId, columnId, title: "Unit tests fail on main" };
  return [
    `curl ${boot.value.publicUrl}/api/v1/tickets \\`,
    `  -H "Authorization: Bearer $INTAKE_TOKEN" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -H "Idempotency-Key: $(uuidgen)" \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}
