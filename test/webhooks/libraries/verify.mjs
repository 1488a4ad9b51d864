import { Webhook } from "standardwebhooks";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const verdicts = JSON.parse(Buffer.concat(chunks).toString()).map(({ secret, headers, body }) => {
  const webhook = new Webhook(secret);
  const text = Buffer.from(body, "base64").toString();
  const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
  let accepted = true;
  try {
    webhook.verify(text, headers);
  } catch {
    accepted = false;
  }
  return { accepted, signature: webhook.sign(headers["webhook-id"], at, text) };
});
process.stdout.write(JSON.stringify(verdicts));
