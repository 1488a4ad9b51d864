/** The command failed for a reason that is no fault of this program: exit 1, with a message for people. */
export class CommandFailed extends Error {
  override name = "CommandFailed";
}
