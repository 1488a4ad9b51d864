import { installSdk } from "../../core/sdk.ts";
import type { Snippet } from "../../parts/snippet.ts";

/** Commands for every version of curl: its option `--json` needs 7.82. */
export function ticketSnippets(publicUrl: string, token: string): Snippet[] {
  return [
    {
      name: "curl",
      text: `curl ${publicUrl}/api/v1/tickets \\
  -H "Authorization: Bearer ${token}" \\
  -H "Idempotency-Key: first-1" \\
  -H "Content-Type: application/json" \\
  -d '{"title": "Hello from my terminal"}'`,
    },
    {
      name: "GitHub Actions",
      text: `- name: Create a ticket
  if: failure()
  env:
    INTAKE_TOKEN: \${{ secrets.INTAKE_TOKEN }}
  run: |
    curl --fail-with-body ${publicUrl}/api/v1/tickets \\
      -H "Authorization: Bearer $INTAKE_TOKEN" \\
      -H "Idempotency-Key: build-\${{ github.run_id }}" \\
      -H "Content-Type: application/json" \\
      -d '{"title": "Build failed", "priority": "high"}'`,
    },
    {
      name: "SDK",
      text: `// ${installSdk(publicUrl)}
// INTAKE_TOKEN=${token} node first-ticket.mjs
import { TicketsClient } from "@intake/client/tickets";

const tickets = new TicketsClient({
  baseUrl: "${publicUrl}",
  token: process.env.INTAKE_TOKEN ?? "",
});
await tickets.create({ title: "Hello from the SDK" }, { idempotencyKey: "first-2" });`,
    },
  ];
}

export function reportSnippets(ingestUrl: string, publicUrl: string, key: string): Snippet[] {
  const install = `// ${installSdk(publicUrl)}`;
  return [
    {
      name: "curl",
      text: `curl ${ingestUrl}/api/ingest \\
  -H "Authorization: Bearer ${key}" \\
  -F 'envelope={"title": "First crash",
      "level": "error"};type=application/json'`,
    },
    {
      name: "Web",
      text: `${install}
import { IngestClient } from "@intake/client/ingest";

const reports = new IngestClient({
  ingestUrl: "${ingestUrl}",
  key: "${key}",
});
reports.capture({ title: "First crash", level: "error" });`,
    },
    {
      name: "Node, Bun",
      text: `${install}
import { IngestClient } from "@intake/client/ingest";
import { fileStore } from "@intake/client/node";

const reports = new IngestClient({
  ingestUrl: "${ingestUrl}",
  key: "${key}",
  store: fileStore("./reports"),
});
reports.capture({ title: "First crash", level: "error" });
await reports.flush(2_000);`,
    },
  ];
}
