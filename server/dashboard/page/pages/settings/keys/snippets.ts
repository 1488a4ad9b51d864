import type { Snippet } from "../../../parts/snippets.tsx";

/** How an app or a script sends a report; the key is public, so it stands in them. */
export function reportSnippets(url: string, key: string): Snippet[] {
  return [
    {
      name: "TypeScript",
      text: `import { IngestClient } from "@intake/client/ingest";

const intake = new IngestClient({
  ingestUrl: "${url}",
  key: "${key}",
});
await intake.report({ type: "feedback", title: "It works" });`,
    },
    {
      name: "curl",
      text: `curl ${url}/api/ingest \\
  -H "Authorization: Bearer ${key}" \\
  -F 'envelope={"type": "feedback", "title": "It works"};type=application/json'`,
    },
  ];
}
