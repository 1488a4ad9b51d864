import { readHolder } from "../app/lock.ts";
import { requireUrl } from "../core/settings.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { checked } from "./options.ts";

const milliseconds = 5_000;

export const healthcheckCommand = command({
  name: "healthcheck",
  summary: "exit 0 when the server of this data directory accepts requests, otherwise 1",
  options: { url: checked("U", "ask this server instead", requireUrl) },
  example: "intake healthcheck",
  async run({ options, io }) {
    const url = options.url ?? readHolder(options.data)?.url;
    if (url === undefined) throw new CommandFailed(`no server is running on the data directory ${options.data}`);
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(milliseconds) }).catch(() => undefined);
    if (!response) throw new CommandFailed(`no answer from ${url}`);
    const answer = (await response.json()) as { status: string; reason?: string };
    if (!response.ok) throw new CommandFailed(`${answer.status}: ${answer.reason ?? "no reason given"}`);
    io.result(answer);
  },
});
