import { requireApart } from "../backup/target-folder.ts";
import { listSettings, setSetting, settings } from "../core/settings.ts";
import { command } from "./command.ts";
import { UsageError } from "./options.ts";
import { withStore } from "./with-store.ts";

/** A malformed value is a usage error; the use case refuses an unknown name. */
function requireValue(name: string, value: string) {
  if (value === "" || !Object.hasOwn(settings, name)) return;
  try {
    settings[name as keyof typeof settings].check(value);
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
}

export const settingsCommands = [
  command({
    name: "settings list",
    summary: "show every setting with its value, default and bounds",
    example: "intake settings list",
    async run({ options, io }) {
      const all = await withStore(options.data, (ctx) => listSettings({ ctx }));
      const items = all.map(({ name, value, default: usual, bounds, about }) => {
        return { name, value, default: usual, bounds, about };
      });
      io.page({ items, next: null }, ["name", "value", "default", "bounds", "about"]);
    },
  }),
  command({
    name: "settings set",
    words: ["NAME", "VALUE"],
    wordChoices: { NAME: Object.keys(settings) },
    summary: 'change a setting, from the next request on; "" sets its default',
    example: "intake settings set public_url https://intake.example.org",
    notes: "`intake settings list` names them with their bounds. Bytes may be written as 10GiB or 500MiB.",
    async run({ options, words: [name = "", value = ""], io }) {
      requireValue(name, value);
      if (name === "backup_to" && value !== "") requireApart(options.data, value);
      io.result(await withStore(options.data, (ctx) => setSetting({ ctx, input: { name, value } })));
    },
  }),
];
