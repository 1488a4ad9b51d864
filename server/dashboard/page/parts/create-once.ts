import { useRef } from "preact/hooks";
import { CallFailed } from "../core/api.ts";

/**
 * Creates a token or key at most once when answers get lost: before a second try, and after a try without an answer,
 * `listActive` is read again. One of the same name that is newer than all before the try is given back as `found`, and
 * nothing else is created. Rejects as `send` does.
 */
export function useCreateOnce<Found extends { id: string; name: string }>(listActive: () => Promise<readonly Found[]>) {
  /** The name of the last try, and the newest id before it: ids grow with time. */
  const tried = useRef<{ name: string; newest: string }>(undefined);

  async function find(): Promise<Found | undefined> {
    const { current } = tried;
    return current && (await listActive()).find(({ id, name }) => id > current.newest && name === current.name);
  }

  return async function create<Made>(
    name: string,
    send: () => Promise<Made>,
  ): Promise<{ made: Made } | { found: Found }> {
    const earlier = await find();
    if (earlier) return { found: earlier };
    const ids = (await listActive()).map(({ id }) => id);
    tried.current = { name, newest: ids.sort().at(-1) ?? "" };
    try {
      return { made: await send() };
    } catch (error) {
      const found = wasRefused(error) ? undefined : await find().catch(() => undefined);
      if (!found) throw error;
      return { found };
    }
  };
}

/** Whether the server refused, so that nothing was created. */
function wasRefused(error: unknown): boolean {
  return error instanceof CallFailed && error.status >= 400 && error.status < 500;
}
