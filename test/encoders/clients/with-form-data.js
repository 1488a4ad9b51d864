import { once } from "node:events";
import { createReadStream, readFileSync } from "node:fs";
import { request } from "node:http";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import FormData from "form-data";

// A line for each report.
for await (const line of createInterface({ input: process.stdin })) {
  const [url, key, envelope, screenshot, log, variant] = line.split("\t");
  const form = new FormData();
  if (variant === "named") {
    // Streams: the length is not asked for, so the body goes chunked.
    form.append("envelope", createReadStream(envelope), {
      filename: basename(envelope),
      contentType: "application/json",
    });
    form.append("screenshot", createReadStream(screenshot));
    form.append("log", createReadStream(log), { filename: basename(log), contentType: "text/plain" });
  } else {
    form.append("envelope", readFileSync(envelope));
    form.append("screenshot", readFileSync(screenshot));
    form.append("log", readFileSync(log));
  }

  const post = request(url, { method: "POST", headers: { authorization: `Bearer ${key}`, ...form.getHeaders() } });
  form.pipe(post);
  const [answer] = await once(post, "response");
  answer.setEncoding("utf8");
  let text = "";
  for await (const piece of answer) text += piece;
  process.stdout.write(`${text}\n${answer.statusCode}\0`);
}
