import type { ListedDelivery } from "../../server/webhooks/deliveries/list-deliveries.ts";
import type { SubscriberInput } from "../../server/webhooks/subscribers/add-subscriber.ts";
import { type RunningBinary, serve } from "../support/binary.ts";
import { deliveriesOf, subscribe } from "../support/deliveries.ts";
import { type Answer, envelope, newSdkKey, type PartInput, received } from "../support/ingest.ts";
import { type Installation, install } from "../support/installation.ts";
import { accept, type Behaviour, type ReceivedRequest, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

/** The compiled binary, whose webhooks may go to this machine. */
export class WebhooksServer {
  readonly installation: Installation;
  readonly #key: string;
  #server: RunningBinary;

  static async start(options: StartOptions = {}) {
    const installation = await install();
    const { key } = await newSdkKey(installation);
    return new WebhooksServer(installation, key, await serveWebhooks(installation, options));
  }

  private constructor(installation: Installation, key: string, server: RunningBinary) {
    this.installation = installation;
    this.#key = key;
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Is told of every report. */
  subscriber(url: string, input: Partial<SubscriberInput> = {}): Promise<{ id: string; secret: string }> {
    return subscribe(this.installation, { url, types: ["report.received"], ...input });
  }

  /** Submits one with these parts, or a small one. */
  report(...parts: PartInput[]): Promise<Answer> {
    const send = (path: string, init?: RequestInit) => fetch(this.url + path, init);
    const some = parts.length > 0 ? parts : [envelope({ reportId: crypto.randomUUID() })];
    return received({ send }, { key: this.#key, parts: some });
  }

  /** Waits until the newest delivery has come to this state with so many attempts. */
  untilState(id: string, state: ListedDelivery["state"], attempts?: number): Promise<ListedDelivery> {
    const read = async () => {
      const [delivery] = await deliveriesOf(this.installation, id);
      const fits = delivery?.state === state && (attempts ?? delivery.attempts.length) === delivery.attempts.length;
      return fits ? delivery : undefined;
    };
    // A delivery is read before its attempts: the first time it may be that of the moment before the last attempt.
    return until(async () => (await read()) && read());
  }

  async forgetSubscribers(): Promise<void> {
    await this.installation.ctx.store.write((tx) => tx.run("delete from subscriber"));
  }

  /** As `kill` does it. */
  end(signal: NodeJS.Signals): Promise<number> {
    return this.#server.stop(signal);
  }

  async startAgain(options: StartOptions = {}): Promise<void> {
    this.#server = await serveWebhooks(this.installation, options);
  }

  async remove(): Promise<void> {
    await this.#server.stop();
    await this.installation.remove();
  }
}

interface StartOptions {
  schedule?: string;
  args?: readonly string[];
}

function serveWebhooks({ folder }: Installation, { schedule = "0,0.2,0.2", args = [] }: StartOptions) {
  const all = ["--rate-limits", "off", "--webhook-allow", "127.0.0.0/8", ...args];
  return serve(folder, all, { env: { INTAKE_WEBHOOK_SCHEDULE: schedule } });
}

/** The request number `n`, from 1, once it has come. */
export async function requestOf(receiver: Receiver, n: number): Promise<ReceivedRequest> {
  await receiver.until(({ requests }) => requests.length >= n);
  const request = receiver.requests[n - 1];
  if (!request) throw new Error("nothing has come");
  return request;
}

/** One after the other, the last one for all that follow. */
export function inOrder(...behaviours: Behaviour[]): Behaviour {
  let n = 0;
  return (socket, request) => behaviours[Math.min(n++, behaviours.length - 1)]?.(socket, request);
}

/** Answers nothing until it is let go. */
export function holding(): { behave: Behaviour; release: (behave?: Behaviour) => void } {
  const held: ((behave: Behaviour) => void)[] = [];
  return {
    behave: (socket, request) => void held.push((behave) => behave(socket, request)),
    release: (behave = accept) => {
      for (const answer of held.splice(0)) answer(behave);
    },
  };
}
