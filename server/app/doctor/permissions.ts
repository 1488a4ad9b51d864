import { accessSync, constants, lstatSync, readdirSync, statSync } from "node:fs";
import { bad, counted, good } from "./finding.ts";

export function permissions(folder: string, database?: string) {
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  if (database !== undefined) accessSync(database, constants.R_OK | constants.W_OK);
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return good("only the owner can read the data directory");
  return bad(
    "folder_mode",
    `others can look into the data directory (mode ${mode.toString(8)})`,
    `run: chmod 700 ${folder}`,
  );
}

const named = 5;
/** Folders in which a server makes files and folders. */
const writtenFolders = ["attachments", "uploads", "backups"];
/** The file system's own, where the directory is its root. */
const ofTheSystem = new Set(["lost+found"]);

/** Whether all that a server writes belongs to the user that the directory belongs to, and whether this is that user. */
export function owner(folder: string) {
  const { uid, gid } = statSync(folder);
  const foreign = [...entriesOf(folder), ...writtenFolders.flatMap((name) => entriesOf(folder, name))].filter(
    (path) => {
      const found = lstatSync(`${folder}/${path}`, { throwIfNoEntry: false });
      return found !== undefined && found.uid !== uid;
    },
  );
  if (foreign.length > 0) {
    const names = `${foreign.slice(0, named).join(", ")}${foreign.length > named ? " and more" : ""}`;
    return bad(
      "file_owner",
      `${counted(foreign.length, "entry", "entries")} of the data directory (${names}) belong to another user than the directory itself (${uid})`,
      `run as root: chown -R --no-dereference ${uid}:${gid} ${folder}`,
    );
  }
  const own = process.geteuid?.();
  if (own === undefined || own === uid) return good("all of it belongs to the user that runs this command");
  return bad(
    "folder_owner",
    `this command runs as user ${own}, and the data directory belongs to user ${uid}`,
    `run commands as that user, as in: runuser -u '#${uid}' -- intake doctor; files that another user makes are not the server's`,
  );
}

function entriesOf(folder: string, within = ""): string[] {
  try {
    const names = readdirSync(`${folder}/${within}`).filter((name) => !ofTheSystem.has(name));
    return within === "" ? names : names.map((name) => `${within}/${name}`);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT" && within !== "") return [];
    throw error;
  }
}
