/** The command could not do what was asked, for a reason that is no fault of ours: exit 1, the message is for people. */
export class CommandFailed extends Error {
  override name = "CommandFailed";
}
