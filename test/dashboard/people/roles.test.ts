import { expect, setDefaultTimeout, test } from "bun:test";
import { call } from "../../support/call.ts";
import { allRoutes } from "../../support/routes.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { newToken } from "../../support/tickets.ts";

// A password costs a busy machine its time.
setDefaultTimeout(180_000);

const absent = "0198c0de-0000-7000-8000-00000000dead";
const elsewhere = "/internal/*";

const routes = allRoutes()
  .filter(({ path }) => path.startsWith("/internal/"))
  .map(({ method, path, hooks }) => ({
    method,
    path,
    role: (hooks as { detail?: { tags?: string[] } }).detail?.tags?.[0],
    address: path.replaceAll(/:\w+/g, absent),
  }));

test("every internal route declares who may call it", () => {
  expect(routes.length).toBeGreaterThan(30);
  const undeclared = routes.filter(({ role, path }) => path !== elsewhere && !roles.includes(role ?? ""));
  expect(undeclared.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
const roles = ["anyone", "member", "admin"];

test("these and no others are for anyone", () => {
  const open = routes.filter(({ role }) => role === "anyone").map(({ method, path }) => `${method} ${path}`);
  expect(open.sort()).toEqual([
    "GET /internal/setup",
    "POST /internal/forgotten-password",
    "POST /internal/invitations/accept",
    "POST /internal/invitations/show",
    "POST /internal/session",
    "POST /internal/session/code",
    "POST /internal/session/link",
    "POST /internal/session/passkey",
    "POST /internal/session/passkey/challenge",
    "POST /internal/session/provider",
    "POST /internal/session/proxy",
    "POST /internal/setup",
  ]);
});

describeTargets(
  "who may call what",
  (target) => {
    const walked = routes.filter(({ path, role }) => path !== elsewhere && role !== "anyone");

    test("without a session, or with an API token, every call is 401", async () => {
      const { token } = await newToken(target().installation);
      for (const { method, address } of walked) {
        for (const headers of [{}, { authorization: `Bearer ${token}` }, { "sec-fetch-site": "cross-site" }]) {
          const { status, body } = await call(target(), method, address, { headers });
          expect([method, address, status, body["error"]]).toEqual([method, address, 401, "not_signed_in"]);
        }
      }
    });

    test("a member's call of what is for admins is 403, whatever else is wrong with it", async () => {
      const { cookie } = await signIn(target(), "member");
      for (const { method, address } of walked.filter(({ role }) => role === "admin")) {
        const { status, body } = await call(target(), method, address, { cookie });
        expect([method, address, status, body["error"]]).toEqual([method, address, 403, "permission_denied"]);
      }
    });

    test("every other call gets past the door", async () => {
      const passing = [...walked].filter(({ path }) => path !== "/internal/live");
      for (const { method, address, role } of passing) {
        // A session of its own for each call, because some calls end it.
        const { cookie } = await signIn(target(), role === "admin" ? "admin" : "member");
        const { status, body } = await call(target(), method, address, { cookie });
        expect([method, address, status === 401, body["error"] === "permission_denied"]).toEqual([
          method,
          address,
          false,
          false,
        ]);
      }
    });

    test("every change from another site is refused", async () => {
      const { cookie } = await signIn(target(), "admin");
      const changes = routes.filter(({ method, path }) => method !== "GET" && path !== elsewhere);
      for (const { method, address, path } of changes) {
        const headers = { "sec-fetch-site": "cross-site" };
        const { status, body } = await call(target(), method, address, { cookie, headers });
        expect([method, path, status, body["error"]]).toEqual([method, path, 403, "cross_site_request"]);
      }
    });
  },
  ["over loopback"],
);
