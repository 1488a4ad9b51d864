import { listSettings, setSetting } from "../ops/settings.ts";
import { command } from "./command.ts";
import { withStore } from "./with-store.ts";

export const settingsCommands = [
  command({
    name: "settings list",
    summary: "show every setting with its value, default and bounds",
    example: "intake settings list",
    async run({ options, io }) {
      const items = await withStore(options.data, (ctx) => listSettings({ ctx }));
      io.page({ items, next: null }, ["name", "value", "default", "bounds", "about"]);
    },
  }),
  command({
    name: "settings set",
    words: ["NAME", "VALUE"],
    summary: 'change a setting; it holds from the next request on, "" goes back to the default',
    example: "intake settings set public_url https://intake.example.org",
    async run({ options, words: [name = "", value = ""], io }) {
      io.result(await withStore(options.data, (ctx) => setSetting({ ctx, input: { name, value } })));
    },
  }),
];
