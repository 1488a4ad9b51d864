import { api, done } from "../../../core/api.ts";
import { plural } from "../../../core/format.ts";
import { useLoad } from "../../../core/load.ts";

/** In how many browsers the person is signed in, and the way to end that. */
export function SessionsSummary() {
  const { data } = useLoad("sessions", () => done(api.sessions.get()), { kinds: ["member"] });
  if (!data) return null;
  const { items, newDevices } = data;
  return (
    <section class="sheet padded stack">
      <h2>Sessions</h2>
      <p class="row">
        <span>
          You are signed in in {plural(items.length, "browser")}.
          {newDevices.length > 0 && <b> {plural(newDevices.length, "sign-in")} may not have been you.</b>}
        </span>
        <a class="btn right" href="/settings/sessions">
          See your sessions
        </a>
      </p>
    </section>
  );
}
