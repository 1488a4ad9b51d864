import type { api } from "../../../core/api.ts";

type Answer = Awaited<ReturnType<typeof api.providers.get>>;

/** A provider as the call for admins answers it. */
export type Provider = NonNullable<Answer["data"]>["items"][number];
