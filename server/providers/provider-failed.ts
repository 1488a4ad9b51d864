/**
 * Why a sign-in with a provider did not come about; a closed list, and the sign-in page has a sentence for each.
 */
export type Failure =
  /** The provider, or the person there, said no. */
  | "cancelled"
  /** Another browser began it, it took too long, or it was finished already. */
  | "stale"
  /** The provider cannot be reached. */
  | "unreachable"
  /** Too many people come back at the same moment, or from one address. */
  | "busy"
  /** Intake has no secret with which it could prove to the provider who it is. */
  | "misconfigured"
  /** The provider answered, and the answer is not to be trusted. */
  | "bad_answer"
  | "disabled"
  | "no_account"
  | "no_group"
  /** The account of this e-mail address belongs to an admin: the password is asked for once. */
  | "password"
  /** The account of this e-mail address is linked to somebody else at the provider. */
  | "other_person"
  /** The account of this e-mail address belongs to somebody whom another provider lets in, which may not vouch for it. */
  | "other_provider"
  | "removed"
  /** The person at the provider is not the one who is signed in here. */
  | "other_account";

/** A sign-in that a provider did not help with. The message is for admins and the log; people are told the reason. */
export class ProviderFailed extends Error {
  override name = "ProviderFailed";
  readonly failure: Failure;

  constructor(failure: Failure, message: string) {
    super(message);
    this.failure = failure;
  }
}
