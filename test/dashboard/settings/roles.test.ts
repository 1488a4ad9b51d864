import { expect, test } from "bun:test";
import { backupRoutes } from "../../../server/backup/backup-route.ts";
import { repositoryRoutes } from "../../../server/boards/repository-route.ts";
import { keyRoutes } from "../../../server/credentials/key-route.ts";
import { tokenRoutes } from "../../../server/credentials/token-route.ts";
import { mailRoutes } from "../../../server/mail/mail-route.ts";
import { noticeRoutes } from "../../../server/notices/notice-route.ts";
import { organisationRoutes } from "../../../server/organisation/organisation-route.ts";
import { deliveryRoutes } from "../../../server/webhooks/deliveries/delivery-route.ts";
import { subscriberRoutes } from "../../../server/webhooks/subscribers/subscriber-route.ts";
import { signIn } from "../../support/sign-in.ts";
import { describeTargets } from "../../support/targets.ts";
import { callInternal } from "./call-internal.ts";

const absent = "0198c0de-0000-7000-8000-00000000dead";
/** Calls that members may make; all others here are for admins only. */
const forMembers = ["GET /internal/keys", "GET /internal/subscribers"];

/** The tools that routes are made with: no route uses them before it handles a call. */
const tools = {} as never;
const routes = [
  ...tokenRoutes,
  ...keyRoutes,
  ...repositoryRoutes,
  ...subscriberRoutes(tools),
  ...deliveryRoutes(tools),
  ...organisationRoutes(tools),
  ...backupRoutes(tools),
  ...noticeRoutes,
  ...mailRoutes(tools),
];

describeTargets(
  "who may do what in settings",
  (target) => {
    for (const { method, path } of routes) {
      const name = `${method} ${path}`;
      const address = path.replaceAll(/:(id|delivery)/g, absent).replace(":name", "retention_days");

      test(`${name}: nobody is not signed in`, async () => {
        expect(await callInternal(target(), undefined, method, address)).toMatchObject({
          status: 401,
          error: "not_signed_in",
        });
      });

      test(`${name}: a member ${forMembers.includes(name) ? "may" : "is refused, whatever is sent"}`, async () => {
        const { cookie } = await signIn(target(), "member");
        const answer = await callInternal(target(), cookie, method, address, method === "GET" ? undefined : {});
        const denied = { status: 403, error: "permission_denied" };
        expect(answer).toMatchObject(forMembers.includes(name) ? { status: 200 } : denied);
      });

      test(`${name}: an admin is let in`, async () => {
        const { cookie } = await signIn(target(), "admin");
        const { status } = await callInternal(target(), cookie, method, address, method === "GET" ? undefined : {});
        // 409: a mail server has to be set before a mail can be tested.
        expect([200, 400, 404, 409]).toContain(status);
      });
    }
  },
  ["in process"],
);
