import { afterAll, afterEach } from "bun:test";
import { SsrfGuard, type Target } from "../../server/webhooks/addresses/ssrf-guard.ts";
import { Connections } from "../../server/webhooks/sender/connections.ts";
import { type PostRequest, post } from "../../server/webhooks/sender/post.ts";
import { type Behaviour, Receiver } from "./receiver.ts";

/** Attempts at a receiver on this machine, for the tests of one file. The receiver ends with its test. */
export class Attempts {
  readonly addresses = new SsrfGuard({
    allow: ["127.0.0.0/8", "::1"],
    resolve: async () => [{ address: "127.0.0.1" }],
  });
  readonly #connections = new Connections();
  #receiver: Receiver | undefined;

  constructor() {
    afterEach(() => this.#receiver?.close());
    afterAll(() => this.#connections.close());
  }

  get receiver(): Receiver {
    if (!this.#receiver) throw new Error("nobody receives yet");
    return this.#receiver;
  }

  async listen(options?: Parameters<typeof Receiver.listen>[0]): Promise<Receiver> {
    this.#receiver = await Receiver.listen(options);
    return this.#receiver;
  }

  /** The target of a receiver that behaves so. */
  async receiving(behave?: Behaviour): Promise<Target> {
    const receiver = await this.listen(behave ? { behave } : {});
    return this.addresses.resolve(receiver.url("hooks.test"));
  }

  send(target: Target, options: Partial<PostRequest> = {}) {
    return post(target, {
      headers: { "webhook-id": "1" },
      body: Buffer.from('{"a":1}'),
      connections: this.#connections,
      ...options,
    });
  }
}
