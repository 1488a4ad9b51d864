/**
 * The command could not be carried out, for a reason that is not a fault of this program: exit 1, with a message for
 * people.
 */
export class CommandFailed extends Error {
  override name = "CommandFailed";
}
