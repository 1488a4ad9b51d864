/** The content of the pictures: tickets of an online shop's CI jobs, and reports of its app. */
type Priority = "none" | "low" | "medium" | "high";

interface PictureTicket {
  /** Name of the token that creates the ticket. */
  token: string;
  column: "Backlog" | "To do" | "In progress" | "Done";
  title: string;
  priority?: Priority;
  dueAt?: string;
}

/** Day `days` from today, as `YYYY-MM-DD`. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** From top to bottom in each column. */
export const tickets: readonly PictureTicket[] = [
  { token: "Nightly", column: "Backlog", title: "Nightly build failed on main", priority: "high", dueAt: inDays(1) },
  { token: "Nightly", column: "Backlog", title: "Checkout end-to-end test is flaky in Firefox", priority: "medium" },
  { token: "Dependencies", column: "Backlog", title: "Update the date picker to 5.2", priority: "low" },
  { token: "Dependencies", column: "Backlog", title: "Licence of a new transitive dependency is unknown" },
  { token: "Monitor", column: "To do", title: "Certificate of the image host ends in 12 days", dueAt: inDays(5) },
  { token: "Monitor", column: "To do", title: "Search answers slower than 800 ms at p95", priority: "medium" },
  { token: "Nightly", column: "To do", title: "Coverage of src/cart fell below 80 %", priority: "low" },
  { token: "Monitor", column: "In progress", title: "Payment webhook answers 500 once an hour", priority: "high" },
  { token: "Nightly", column: "In progress", title: "Memory of the thumbnail job grows until it is killed" },
  { token: "Monitor", column: "Done", title: "Disk of the log host was 91 % full", priority: "high" },
  { token: "Nightly", column: "Done", title: "Release 4.11.0: bundle grew by 38 kB" },
  { token: "Dependencies", column: "Done", title: "Node 20 to 22 in all images", priority: "low" },
];

const app = (version: string) => ({ name: "shop", version, environment: "production" });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

/** The report that is opened in the picture. */
export const crash = {
  version: 1,
  reportId: crypto.randomUUID(),
  type: "crash",
  level: "fatal",
  title: "TypeError: undefined is not an object (reading 'total')",
  message: "The cart could not be shown.",
  occurredAt: ago(2),
  sentAt: ago(1),
  app: app("4.12.0"),
  device: { model: "phone-a15" },
  os: { name: "iOS", version: "19.1" },
  user: { id: "u-4711" },
  tags: { screen: "checkout", build: "918" },
  exception: {
    type: "TypeError",
    message: "undefined is not an object (reading 'total')",
    frames: [
      {
        function: "totals",
        file: "src/cart/CartTotals.ts",
        line: 88,
        column: 21,
        inApp: true,
        pre_context: ["const rows = cart.rows.map(price)"],
        context_line: "return rows.reduce((sum, row) => sum + row.line.total, 0)",
        post_context: ["}"],
      },
      { function: "renderWithHooks", file: "node_modules/preact/index.js", line: 10, column: 3, inApp: false },
      { function: "CartBadge", file: "src/cart/CartBadge.tsx", line: 31, column: 9, inApp: true },
    ],
  },
  breadcrumbs: [
    { timestamp: ago(21), category: "navigation", message: "/cart" },
    { timestamp: ago(14), category: "http", message: "GET /api/cart 200" },
    { timestamp: ago(8), category: "tap", message: "Apply code" },
    { timestamp: ago(7), category: "http", level: "warning", message: "POST /api/cart/code 422" },
    { timestamp: ago(2), category: "exception", level: "error", message: "TypeError" },
  ],
  attachments: [
    { part: "attachment_0", filename: "screen.png", contentType: "image/png", kind: "screenshot" },
    { part: "attachment_1", filename: "app.log", contentType: "text/plain", kind: "log" },
  ],
};

/** The log beside the screenshot. */
export const crashLog = "cart: 3 rows\ncart: code SPRING refused, 422\ncart: drawing\n";

/** The reports around the opened one, oldest first. */
export const otherReports = [
  { type: "error", level: "error", title: "NetworkError: GET /api/products timed out", app: app("4.11.2") },
  { type: "feedback", level: "info", title: "The filter forgets my size", app: app("4.12.0") },
  { type: "error", level: "warning", title: "Image of product 8841 has no alternative text", app: app("4.12.0") },
  { type: "crash", level: "fatal", title: "RangeError: Maximum call stack size exceeded", app: app("4.11.2") },
  { type: "bug", level: "error", title: "Address form refuses postcodes with a space", app: app("4.12.0") },
];

/** What the app showed when it crashed, as a page to take a screenshot of. */
export const appScreen = `<!doctype html><style>
  body { margin: 0; font: 15px system-ui; background: #f6f4ef; color: #23211c }
  header { background: #2f5d50; color: #fff; padding: 18px 16px; font-weight: 600 }
  li { list-style: none; background: #fff; margin: 10px 12px; padding: 14px; border-radius: 10px; display: flex }
  li b { margin-left: auto } ul { padding: 0 } p { margin: 18px 16px; color: #8a2f1d }
</style><header>Your cart</header><ul>
<li>Rain jacket<b>89.00</b></li><li>Wool socks, 2 pairs<b>18.00</b></li><li>Water bottle<b>24.50</b></li></ul>
<p>Total: …</p>`;
