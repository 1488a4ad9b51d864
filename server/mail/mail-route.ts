import { Type } from "@sinclair/typebox";
import { limits } from "../../openapi/schema/limits.ts";
import type { Sealing } from "../core/sealing.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { setMailPassword } from "./set-mail-password.ts";
import { showMail } from "./show-mail.ts";
import { testMail } from "./test-mail.ts";

/** Routes of the page Settings, Mail, for admins. */
export function mailRoutes(tools: { sealing: Sealing; mailCa: readonly string[] }) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/mail",
      role: "admin",
      handle: ({ ctx }) => showMail({ ctx, tools }),
    }),
    internalRoute({
      method: "POST",
      path: "/internal/mail/test",
      role: "admin",
      sensitive: true,
      body: closed({ to: Type.Optional(Type.String({ maxLength: limits.emailMax })) }),
      handle: ({ ctx, body }) => testMail({ ctx, tools: { sealing: tools.sealing, ca: tools.mailCa }, input: body }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/mail/password",
      role: "admin",
      sensitive: true,
      body: closed({ password: Type.String({ maxLength: limits.passwordMax }) }),
      handle: ({ ctx, body }) => setMailPassword({ ctx, tools, input: body }),
    }),
  ] as const;
}
