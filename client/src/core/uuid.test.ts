import { afterEach, expect, test } from "bun:test";
import { uuid } from "./uuid.ts";

const platform = globalThis.crypto;
afterEach(() => setCrypto(platform));

function setCrypto(value: unknown) {
  Object.defineProperty(globalThis, "crypto", { value, configurable: true, writable: true });
}

const platforms: Record<string, unknown> = {
  "with randomUUID": platform,
  "without TLS, which have no randomUUID": { getRandomValues: () => {} },
  "without crypto": undefined,
};
test.each(Object.entries(platforms))("version 4 of RFC 9562 on platforms %s", (_, crypto) => {
  setCrypto(crypto);
  const made = Array.from({ length: 5_000 }, uuid);
  for (const one of made) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(made).size).toBe(made.length);
  for (const [place, mark] of [..."xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"].entries()) {
    const seen = new Set(made.map((one) => one[place]));
    expect(seen.size).toBe({ x: 16, y: 4 }[mark] ?? 1);
  }
});
