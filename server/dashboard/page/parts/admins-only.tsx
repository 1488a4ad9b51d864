import { api, done } from "../core/api.ts";
import { useLoad } from "../core/load.ts";
import { Denied } from "./states.tsx";

const namedMax = 8;

/** Tells a member that only admins can do this, and who the admins are. */
export function AdminsOnly({ what }: { what: string }) {
  const { data } = useLoad("admins", () => done(api.members.names.get()));
  const admins = data?.items.filter(({ role }) => role === "admin").map(({ name }) => name) ?? [];
  const named = admins.slice(0, namedMax).join(", ") + (admins.length > namedMax ? " and others" : "");
  return <Denied what={`Only admins can ${what}.${named === "" ? "" : ` Admins here: ${named}.`}`} />;
}
