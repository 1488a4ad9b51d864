import type { JobProgram } from "../support/job-program.ts";
import type { Answer, Encoder, Part } from "./encoder.ts";

/** `{envelope}` and similar words in the options are replaced by paths; curl wants them escaped between quotes. */
export function curl(name: string, options: string[], attachments: [Part, Part]): Encoder {
  return {
    name,
    attachments,
    send({ url, key, report: { paths }, form }) {
      const files = { envelope: paths[form], screenshot: paths.screenshot, log: paths.log };
      const filled = options.map((option) =>
        option.replace(/("?)\{(envelope|screenshot|log)\}/, (_, quote: string, file: keyof typeof files) =>
          quote ? quote + files[file].replace(/["\\]/g, "\\$&") : files[file],
        ),
      );
      const authorization = ["-H", `Authorization: Bearer ${key}`];
      return run(["curl", "--silent", "--show-error", ...filled, ...authorization, "-w", "\n%{http_code}\n", url]);
    },
  };
}

export function client(name: string, program: JobProgram, variant: string, attachments: [Part, Part]): Encoder {
  return {
    name,
    attachments,
    async send({ url, key, report: { paths }, form }) {
      return answerIn(await program.ask([url, key, paths[form], paths.screenshot, paths.log, variant]));
    },
  };
}

async function run(command: string[]): Promise<Answer> {
  const child = Bun.spawn(command, {
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${stderr}`);
  return answerIn(stdout);
}

/** Every client prints the body of the answer and, on a last line, the status. */
function answerIn(printed: string): Answer {
  const lines = printed.trimEnd().split("\n");
  return { status: Number(lines.pop()), text: lines.join("\n") };
}
