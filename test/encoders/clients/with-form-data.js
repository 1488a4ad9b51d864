import { createReadStream, readFileSync } from "node:fs";
import { request } from "node:http";
import { basename } from "node:path";
import FormData from "form-data";

const [url, key, envelope, screenshot, log, variant] = process.argv.slice(2);
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
post.on("response", async (answer) => {
  answer.setEncoding("utf8");
  let text = "";
  for await (const piece of answer) text += piece;
  console.log(text);
  console.log(answer.statusCode);
});
form.pipe(post);
