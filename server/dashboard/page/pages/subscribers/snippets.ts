import { installSdk } from "../../core/sdk.ts";
import type { Snippet } from "../../parts/snippet.ts";

/** Code by which a receiver checks signatures with the secret in `INTAKE_WEBHOOK_SECRET`. */
export function signatureSnippets(publicUrl: string): Snippet[] {
  return [
    {
      name: "TypeScript",
      text: `// ${installSdk(publicUrl)}
import { verifyWebhook } from "@intake/client/webhooks";

const message = await verifyWebhook(
  await request.text(),
  request.headers,
  process.env.INTAKE_WEBHOOK_SECRET ?? "",
);`,
    },
    {
      name: "Python",
      text: `# pip install standardwebhooks
import os
from standardwebhooks import Webhook

message = Webhook(os.environ["INTAKE_WEBHOOK_SECRET"]).verify(
    request.get_data(), request.headers
)`,
    },
    {
      name: "Go",
      text: `// go get github.com/standard-webhooks/standard-webhooks/libraries
wh, err := standardwebhooks.NewWebhook(os.Getenv("INTAKE_WEBHOOK_SECRET"))
if err != nil {
    return err
}
err = wh.Verify(body, request.Header)`,
    },
  ];
}
