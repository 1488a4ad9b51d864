import type { Failure } from "../../../providers/provider-failed.ts";
import { place } from "./router.ts";

/** Why a sign-in with a provider failed, as the address of the page says; undefined without a failure. */
export function providerFailure(providers: readonly { id: string; name: string }[]): string | undefined {
  const { query } = place.value;
  const failure = query.get("failed");
  if (failure === null || !Object.hasOwn(sentences, failure)) return undefined;
  const id = query.get("with");
  return sentences[failure as Failure](providers.find((provider) => provider.id === id)?.name ?? "the provider");
}

const sentences: Record<Failure, (name: string) => string> = {
  cancelled: (name) => `You were not signed in at ${name}.`,
  stale: () => "This sign-in began in another browser, took too long, or is over already. Begin again.",
  unreachable: (name) => `${name} cannot be reached at the moment. Try again, or use a password.`,
  busy: () => "Too many people sign in at the moment. Wait a minute, and begin again.",
  misconfigured: (name) =>
    `${name} cannot be used: its secret is missing here. Ask an admin to give it again, or use a password.`,
  bad_answer: (name) =>
    `${name} answered something that cannot be trusted. Try again; an admin finds the cause in the log.`,
  disabled: (name) => `${name} is not used for signing in at the moment.`,
  no_account: (name) => `There is no account here for you at ${name}. Ask an admin to invite you.`,
  no_group: (name) => `None of your groups at ${name} may sign in here. Ask an admin.`,
  password: (name) => `Your account belongs to an admin. Give its password once, and ${name} is linked to it.`,
  other_person: (name) => `The account with your address is linked to somebody else at ${name}. Ask an admin.`,
  other_provider: (name) =>
    `The account with your address signs in another way. Sign in as before, and link ${name} under Settings, Profile.`,
  removed: () => "Your account here was deactivated. Ask an admin.",
  other_account: (name) => `Somebody else is signed in at ${name}.`,
};
