import type { Socket } from "bun";

/** As pages wait between two looks. */
const pauseMilliseconds = 250;

/** Open pages without a browser around them: sockets that read what they are told, and may fetch what has changed. */
export class ListeningPages {
  readonly #sockets: Socket[] = [];
  readonly #looks = new Set<Promise<unknown>>();
  #open = true;

  /** All of them have been greeted. `refetch` is the path of what each fetches whenever it is told of something. */
  static async open(url: string, cookie: string, count: number, refetch?: string): Promise<ListeningPages> {
    const pages = new ListeningPages();
    await Promise.all(Array.from({ length: count }, () => pages.#listen(url, cookie, refetch)));
    return pages;
  }

  /** What they still fetch is waited for. */
  async close(): Promise<void> {
    this.#open = false;
    for (const socket of this.#sockets) socket.terminate();
    await Promise.allSettled(this.#looks);
  }

  async #listen(url: string, cookie: string, refetch: string | undefined): Promise<void> {
    const { hostname, port } = new URL(url);
    const greeted = Promise.withResolvers<void>();
    let waiting = false;
    const look = async (path: string) => {
      waiting = true;
      await Bun.sleep(pauseMilliseconds);
      if (this.#open) await fetch(url + path, { headers: { cookie } }).then((answer) => answer.arrayBuffer());
      waiting = false;
    };
    const follow = () => {
      if (waiting || refetch === undefined) return;
      const looking = look(refetch).catch(() => {});
      this.#looks.add(looking);
      looking.finally(() => this.#looks.delete(looking));
    };
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) =>
          void socket.write(`GET /internal/live HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`),
        data(_, data) {
          if (data.includes("event: hello")) greeted.resolve();
          else follow();
        },
        close: () => greeted.reject(new Error("a page that listens was let go")),
        error: (_, error) => greeted.reject(error),
      },
    });
    this.#sockets.push(socket);
    await greeted.promise;
  }
}
