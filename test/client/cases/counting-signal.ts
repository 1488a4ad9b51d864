/** A real signal that counts its listeners. */
export function countingSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listening = new Set<unknown>();
  let added = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const counted = {
    addEventListener(...call: Parameters<typeof add>) {
      added++;
      listening.add(call[1]);
      add(...call);
    },
    removeEventListener(...call: Parameters<typeof remove>) {
      listening.delete(call[1]);
      remove(...call);
    },
  };
  Object.assign(signal, counted);
  return { signal, abort: () => controller.abort(), added: () => added, listeners: () => listening.size };
}
