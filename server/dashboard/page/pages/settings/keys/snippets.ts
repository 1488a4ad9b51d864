import { installSdk } from "../../../core/sdk.ts";
import type { Snippet } from "../../../parts/snippet.ts";

/** Code that sends a report. It contains the SDK key, which is public. */
export function reportSnippets(url: string, publicUrl: string, key: string): Snippet[] {
  return [
    {
      name: "TypeScript",
      text: `// ${installSdk(publicUrl)}
import { IngestClient } from "@intake/client/ingest";

const intake = new IngestClient({
  ingestUrl: "${url}",
  key: "${key}",
});
await intake.submit({ type: "feedback", title: "It works" });`,
    },
    {
      name: "curl",
      text: `curl ${url}/api/ingest \\
  -H "Authorization: Bearer ${key}" \\
  -F 'envelope={"type": "feedback", "title": "It works"};type=application/json'`,
    },
  ];
}
