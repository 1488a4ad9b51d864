import { readFileSync } from "node:fs";
import type { Call, Encoder, Part } from "./encoder.ts";
import { sendRaw } from "./raw-socket.ts";
import { logName, screenshotName } from "./report.ts";

/**
 * Encoders that do not run on a build machine, given as the bytes that their sources produce: the headers of a part,
 * their order and case, and how names and boundaries look.
 */
interface Shape {
  name: string;
  /** The boundary as it stands in the header, with its quotes. */
  boundary: string;
  /** Bytes before the first delimiter. */
  preamble?: string;
  /** The headers of each part; {length} is replaced by its length. */
  parts: Record<string, string[]>;
  attachments: [Part, Part];
}

const plainLogName = "größe 1.log";
const screenshot = { part: "screenshot", filename: screenshotName, contentType: "image/png" };
const log = { part: "log", filename: logName, contentType: "text/plain" };
const plainLog = { ...log, filename: plainLogName };

const written: Shape[] = [
  {
    // Names that are tokens go without quotes; others as an encoded word (RFC 2047), and all as RFC 5987 has it too. A
    // file name with a quote it refuses.
    name: ".NET HttpClient",
    boundary: '"5f0c8b0a-7f3e-4d0b-9d0e-0a8f5a2c4e11"',
    parts: {
      envelope: [
        "Content-Type: application/json; charset=utf-8",
        "Content-Disposition: form-data; name=envelope; filename=report.json; filename*=utf-8''report.json",
      ],
      screenshot: [
        "Content-Type: image/png",
        `Content-Disposition: form-data; name=screenshot; filename="screen shot.png"; filename*=utf-8''screen%20shot.png`,
      ],
      log: [
        "Content-Type: text/plain",
        `Content-Disposition: form-data; name=log; filename="=?utf-8?B?Z3LDtsOfZSAxLmxvZw==?="; filename*=utf-8''gr%C3%B6%C3%9Fe%201.log`,
      ],
    },
    attachments: [screenshot, plainLog],
  },
  {
    name: ".NET HttpClient, no file names",
    boundary: '"0c9f4a52-5c88-4a35-8a69-6de3ad0d9f0e"',
    parts: {
      envelope: ["Content-Type: text/plain; charset=utf-8", "Content-Disposition: form-data; name=envelope"],
      screenshot: ["Content-Disposition: form-data; name=screenshot"],
      log: ["Content-Disposition: form-data; name=log"],
    },
    attachments: [
      { ...screenshot, filename: null, contentType: null },
      { ...log, filename: null, contentType: null },
    ],
  },
  {
    // Its FormData writes the first header and URI-encodes the file name, OkHttp the rest.
    name: "React Native on Android",
    boundary: "b8d2c6f0-3b0f-4c4f-8d5c-0e6d7a1b2c3d",
    parts: {
      envelope: ['content-disposition: form-data; name="envelope"', "Content-Length: {length}"],
      screenshot: [
        `content-disposition: form-data; name="screenshot"; filename="${encodeURIComponent(screenshotName)}"`,
        "Content-Type: image/png",
        "Content-Length: {length}",
      ],
      log: [
        `content-disposition: form-data; name="log"; filename="${encodeURIComponent(logName)}"`,
        "Content-Type: text/plain",
        "Content-Length: {length}",
      ],
    },
    attachments: [screenshot, log],
  },
  {
    // The file name as it is; a boundary of 70 characters that may hold a slash, and no quotes around it.
    name: "React Native on iOS, an older one",
    boundary: "aB3/dE5_gH7-jK9.mN1pQ3rS5tU7vW9xY1zA3bC5dE7fG9hI1jK3lM5nO7pQ9rS1tU3v/x",
    parts: {
      envelope: ['content-disposition: form-data; name="envelope"'],
      screenshot: [
        "content-type: image/png",
        'content-disposition: form-data; name="screenshot"; filename="screen shot.png"',
      ],
      log: ["content-type: text/plain", `content-disposition: form-data; name="log"; filename="${plainLogName}"`],
    },
    attachments: [screenshot, plainLog],
  },
  {
    // The file name only as RFC 5987 has it, which RFC 7578 forbids.
    name: "requests with urllib3 1",
    boundary: "6f1ed002ab5595859014ebf0951522d9",
    parts: {
      envelope: [
        'Content-Disposition: form-data; name="envelope"; filename="report.json"',
        "Content-Type: application/json",
      ],
      screenshot: [
        'Content-Disposition: form-data; name="screenshot"; filename="screen shot.png"',
        "Content-Type: image/png",
      ],
      log: [
        `Content-Disposition: form-data; name="log"; filename*=utf-8''gr%C3%B6%C3%9Fe%201%222.log`,
        "Content-Type: text/plain",
      ],
    },
    attachments: [screenshot, log],
  },
  {
    name: "Chrome and Safari",
    boundary: "----WebKitFormBoundary7MA4YWxkTrZu0gW1",
    parts: {
      envelope: ['Content-Disposition: form-data; name="envelope"; filename="blob"', "Content-Type: application/json"],
      screenshot: [
        'Content-Disposition: form-data; name="screenshot"; filename="screen shot.png"',
        "Content-Type: image/png",
      ],
      log: ['Content-Disposition: form-data; name="log"; filename="größe 1%222.log"', "Content-Type: text/plain"],
    },
    attachments: [screenshot, log],
  },
  {
    name: "Firefox, the envelope last",
    boundary: "---------------------------9051914041544843365972754266",
    parts: {
      screenshot: [
        'Content-Disposition: form-data; name="screenshot"; filename="screen shot.png"',
        "Content-Type: image/png",
      ],
      log: ['Content-Disposition: form-data; name="log"; filename="größe 1%222.log"', "Content-Type: text/plain"],
      envelope: [
        'Content-Disposition: form-data; name="envelope"; filename="blob"',
        "Content-Type: application/octet-stream",
      ],
    },
    attachments: [screenshot, log],
  },
  {
    // A field that is not ASCII says how it is encoded; a file has its type first.
    name: "Dart http",
    boundary: "dart-http-boundary-k+Jf9_2.bVnQx-7LmZr0TtYcWpE4sDaGh8uKoI3jR6vNq1B5",
    parts: {
      envelope: [
        'content-disposition: form-data; name="envelope"',
        "content-type: text/plain; charset=utf-8",
        "content-transfer-encoding: binary",
      ],
      screenshot: [
        "content-type: image/png",
        'content-disposition: form-data; name="screenshot"; filename="screen shot.png"',
      ],
      log: ["content-type: text/plain", 'content-disposition: form-data; name="log"; filename="größe 1%222.log"'],
    },
    attachments: [screenshot, log],
  },
  {
    // Headers that the caller sets come first; older ones give each part its length.
    name: "PHP Guzzle",
    boundary: "8a1f0b3c5d7e9f1a2b3c4d5e6f708192a3b4c5d6",
    parts: {
      envelope: [
        "Content-Type: application/json",
        'Content-Disposition: form-data; name="envelope"; filename="report.json"',
        "Content-Length: {length}",
      ],
      screenshot: [
        'Content-Disposition: form-data; name="screenshot"; filename="screen shot.png"',
        "Content-Length: {length}",
        "Content-Type: image/png",
      ],
      log: [
        'Content-Disposition: form-data; name="log"; filename="größe 1%222.log"',
        "Content-Length: {length}",
        "Content-Type: text/plain",
      ],
    },
    attachments: [screenshot, log],
  },
  {
    name: "UnityWebRequest",
    boundary: "kR3vT8bN2mXqL5wZcYhJd7fGsPaE9uIo4tBxVn6C",
    preamble: "\r\n",
    parts: {
      envelope: ['Content-Disposition: form-data; name="envelope"', "Content-Type: application/json"],
      screenshot: [
        'Content-Disposition: form-data; name="screenshot"; filename="screen shot.png"',
        "Content-Type: image/png",
      ],
      log: [`Content-Disposition: form-data; name="log"; filename="${plainLogName}"`, "Content-Type: text/plain"],
    },
    attachments: [screenshot, plainLog],
  },
];

export const shapes: Encoder[] = written.map((shape) => ({
  name: shape.name,
  attachments: shape.attachments,
  send(call) {
    const body = write(shape, call);
    const headers = [
      `Authorization: Bearer ${call.key}`,
      `Content-Type: multipart/form-data; boundary=${shape.boundary}`,
      `Content-Length: ${body.length}`,
    ];
    return sendRaw(call.url, headers, body);
  },
}));

function write({ boundary, preamble = "", parts }: Shape, { report, form }: Call): Buffer {
  const contents: Record<string, Buffer> = {
    envelope: readFileSync(report.paths[form]),
    screenshot: report.screenshot,
    log: report.log,
  };
  const delimiter = `--${boundary.replaceAll('"', "")}`;
  const chunks = Object.entries(parts).flatMap(([name, headers]) => {
    const content = contents[name] ?? Buffer.alloc(0);
    const head = [delimiter, ...headers, "", ""].join("\r\n").replace("{length}", String(content.length));
    return [Buffer.from(head), content, Buffer.from("\r\n")];
  });
  return Buffer.concat([Buffer.from(preamble), ...chunks, Buffer.from(`${delimiter}--\r\n`)]);
}
