import { api, done } from "./api.ts";
import { failureOf } from "./load.ts";
import { say } from "./say.ts";

/** Ends this session and forgets everything in the page's memory. */
export async function signOut() {
  try {
    const { url } = await done(api.session.delete());
    location.assign(url ?? "/sign-in");
  } catch (error) {
    say(failureOf(error).message, { bad: true });
  }
}
