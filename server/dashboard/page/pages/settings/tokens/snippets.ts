import { installSdk } from "../../../core/sdk.ts";
import type { Snippet } from "../../../parts/snippet.ts";

/** Code that creates a ticket with the token in `INTAKE_TOKEN`; it never contains the token itself. */
export function ticketSnippets(url: string, projectId?: string): Snippet[] {
  const project = projectId === undefined ? "" : `, "projectId": "${projectId}"`;
  return [
    {
      name: "curl",
      // --json would need curl 7.82.
      text: `curl ${url}/api/v1/tickets \\
  -H "Authorization: Bearer $INTAKE_TOKEN" \\
  -H "Idempotency-Key: $BUILD_ID-deploy" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Deploy gate failed", "priority": "high"${project}}'`,
    },
    {
      name: "GitHub Actions",
      text: `- name: Open a ticket
  if: failure()
  run: >
    curl --fail-with-body --retry 5 ${url}/api/v1/tickets
    -H "Authorization: Bearer $INTAKE_TOKEN"
    -H "Idempotency-Key: $GITHUB_RUN_ID-$GITHUB_JOB"
    -H "Content-Type: application/json"
    -d "{\\"title\\": \\"$GITHUB_WORKFLOW failed\\"${project.replaceAll('"', '\\"')}}"
  env:
    INTAKE_TOKEN: \${{ secrets.INTAKE_TOKEN }}`,
    },
    {
      name: "TypeScript",
      text: `// ${installSdk(url)}
import { TicketsClient } from "@intake/client/tickets";

const tickets = new TicketsClient({
  baseUrl: "${url}",
  token: process.env.INTAKE_TOKEN ?? "",
});
const ticket = await tickets.create(
  { title: "Deploy gate failed", priority: "high"${projectId === undefined ? "" : `, projectId: "${projectId}"`} },
  { idempotencyKey: \`\${process.env.BUILD_ID}-deploy\` },
);
console.log(ticket.url);`,
    },
  ];
}
