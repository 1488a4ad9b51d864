/** The id that stands in an envelope until a request puts its own in. */
export const placeholderId = "00000000-0000-4000-8000-000000000000";

interface ListedAttachment {
  part: string;
  filename: string;
  contentType: string;
  size: number;
  sha256: string;
  kind: string;
}

/** About 17 kB of JSON as an SDK in a browser sends it. Equal seeds make equal envelopes. */
export function errorReport(seed: number): string {
  const pick = picker(seed);
  const at = (secondsAgo: number) =>
    new Date(Date.UTC(2026, 4, 1, 9, 30) - secondsAgo * 1000 - pick(1000)).toISOString();
  return JSON.stringify({
    version: 1,
    reportId: placeholderId,
    type: "error",
    title: `TypeError: Cannot read properties of undefined (reading 'total${pick(90)}')`,
    message: "Cannot read properties of undefined while the cart was being rendered after a currency change",
    level: "error",
    occurredAt: at(2),
    sentAt: at(0),
    sdk: { name: "@intake/client", version: "0.1.0" },
    app: {
      name: "shop",
      version: `4.${pick(20)}.${pick(10)}`,
      build: String(20_000 + pick(9000)),
      environment: "production",
    },
    device: { model: "MacBookPro18,3", memory: 16_384, cores: 10, screen: { width: 1512, height: 982, ratio: 2 } },
    os: { name: "macOS", version: `15.${pick(6)}.1`, locale: "de-CH", timezone: "Europe/Zurich" },
    user: { id: `u-${pick(90_000)}`, email: `user${pick(90_000)}@example.org` },
    tags: { area: "checkout", tenant: `t${pick(500)}`, release_channel: "stable", experiment: `cart-${pick(8)}` },
    contexts: {
      page: {
        url: `https://shop.example.org/cart/${hex(pick, 12)}?step=${pick(5)}`,
        referrer: "https://shop.example.org/",
      },
      browser: {
        name: "Firefox",
        version: `${128 + pick(12)}.0`,
        agent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0)",
      },
      state: {
        cart: hex(pick, 24),
        items: pick(12),
        currency: "CHF",
        flags: Array.from({ length: 12 }, () => pick(2) === 1),
      },
      trace: { traceId: hex(pick, 32), spanId: hex(pick, 16), sampled: true },
    },
    breadcrumbs: Array.from({ length: 50 }, (_, i) => breadcrumb(pick, at(120 - i * 2))),
    exception: {
      type: "TypeError",
      value: "Cannot read properties of undefined",
      mechanism: { type: "onunhandledrejection", handled: false },
      frames: Array.from({ length: 38 }, () => frame(pick)),
    },
    fingerprint: ["TypeError", "cart-total"],
  });
}

/** About 1 kB, for a report whose weight is its attachment. */
export function feedback(attachment: ListedAttachment): string {
  return JSON.stringify({
    version: 1,
    reportId: placeholderId,
    type: "feedback",
    title: "The total is wrong after I change the currency",
    message:
      "I had two items in the cart and changed from CHF to EUR. Then the total stayed as it was. See the screenshot.",
    level: "info",
    occurredAt: "2026-05-01T09:29:58.120Z",
    sentAt: "2026-05-01T09:30:00.004Z",
    sdk: { name: "@intake/client", version: "0.1.0" },
    app: { name: "shop", version: "4.2.0", build: "20114", environment: "production" },
    device: { model: "iPhone15,2", memory: 6144 },
    os: { name: "iOS", version: "18.4", locale: "de-CH" },
    user: { id: "u-51234", email: "user51234@example.org" },
    tags: { area: "checkout", tenant: "t17" },
    attachments: [attachment],
  });
}

type Pick = (below: number) => number;

const messages = ["GET /api/cart", "POST /api/cart/items", "click button#apply", "navigate /cart", "GET /api/rates"];

function breadcrumb(pick: Pick, timestamp: string) {
  return {
    timestamp,
    category: pick(2) === 0 ? "fetch" : "ui",
    message: messages[pick(messages.length)],
    level: "info",
    data: { id: hex(pick, 16), status: pick(9) === 0 ? 304 : 200, duration: pick(900) },
  };
}

const modules = ["cart", "totals", "currency", "render", "store", "effects", "router", "vendor"];
const functions = ["renderTotal", "applyRate", "dispatch", "flushEffects", "commit", "onCurrencyChange", "reduce"];

function frame(pick: Pick) {
  const module = modules[pick(modules.length)];
  return {
    filename: `https://cdn.example.org/shop/assets/${module}.js`,
    function: functions[pick(functions.length)],
    line: 1 + pick(3000),
    column: 1 + pick(160),
    inApp: module !== "vendor",
    context: `  const total = items.reduce((sum, item) => sum + item.price * rates[${pick(40)}], 0);`,
  };
}

function hex(pick: Pick, length: number): string {
  return Array.from({ length }, () => pick(16).toString(16)).join("");
}

/** Numbers that look random and are the same in every run (a linear congruential generator, its upper bits). */
function picker(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}
