import { Type } from "@sinclair/typebox";
import { type Context, Refusal } from "../core/context.ts";
import { type SettingName, setSetting, settings } from "../core/settings.ts";
import { internalRoute } from "../http/internal-route.ts";
import { closed } from "../http/internal-schema.ts";
import { previewSetting } from "./preview-setting.ts";
import { renameOrganisation } from "./rename-organisation.ts";
import { type OrganisationTools, showOrganisation } from "./show-organisation.ts";

const value = closed({ value: Type.String({ maxLength: 4_096 }) });

/** Routes of the page Settings, Organisation, for admins. */
export function organisationRoutes(tools: OrganisationTools) {
  return [
    internalRoute({
      method: "GET",
      path: "/internal/organisation",
      role: "admin",
      handle: ({ ctx }) => showOrganisation({ ctx, tools }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/organisation",
      role: "admin",
      body: closed({ name: Type.String() }),
      handle: ({ ctx, body }) => renameOrganisation({ ctx, input: body }),
    }),
    internalRoute({
      method: "PATCH",
      path: "/internal/settings/:name",
      role: "admin",
      // Changing a setting asks for the password, because settings decide where links lead and how soon reports are
      // deleted.
      sensitive: true,
      body: value,
      handle: async ({ ctx, params, body }) => {
        const name = nameOf(params);
        requireSetting(tools, name, body.value);
        const set = await setSetting({ ctx, input: { name, value: body.value } });
        await tell(ctx);
        return set;
      },
    }),
    internalRoute({
      method: "POST",
      path: "/internal/settings/:name/preview",
      role: "admin",
      body: value,
      handle: async ({ ctx, params, body }) => {
        const name = nameOf(params);
        const preview = await previewSetting({ ctx, input: { name, value: body.value } });
        requireSetting(tools, name, body.value);
        return preview;
      },
    }),
  ] as const;
}

function nameOf({ name = "" }: Record<string, string>): SettingName {
  if (!Object.hasOwn(settings, name)) throw new Refusal("not_found");
  return name as SettingName;
}

function requireSetting(tools: OrganisationTools, name: SettingName, value: string) {
  if (value === "") return;
  try {
    tools.requireSetting(name, value);
  } catch (error) {
    throw new Refusal("invalid_input", (error as Error).message);
  }
}

async function tell({ store, changed }: Context) {
  const organisation = await store.one<{ id: string }>("select id from organisation");
  if (organisation) changed?.({ kind: "organisation", id: organisation.id });
}
