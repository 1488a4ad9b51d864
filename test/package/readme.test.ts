import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { budgets } from "../../client/size.ts";
import { installRuntimes } from "../client/install.ts";
import { action } from "./action.ts";
import { Consumer } from "./consumer.ts";
import { compilers, installJudges, nodeForCompilers, nodeTypes } from "./install.ts";

setDefaultTimeout(180_000);
installJudges();
installRuntimes();
const readme = readFileSync(join(import.meta.dir, "../../client/README.md"), "utf8");
const consumer = new Consumer();
afterAll(() => consumer.remove());

const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", code = ""]) => ({
  language,
  code,
}));
const code = (language: string) => blocks.filter((block) => block.language === language).map((block) => block.code);

/** Globals that the examples find where they run and that Node's types do not declare. */
const elsewhere = `
declare const Deno: { env: { get(name: string): string | undefined } };
declare module "@react-native-async-storage/async-storage" {
  const AsyncStorage: {
    getAllKeys(): Promise<readonly string[]>;
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string): Promise<void>;
    removeItem(key: string): Promise<void>;
  };
  export default AsyncStorage;
}
`;

test("every example is of a kind that is checked", () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["sh", "ts", "tsx", "yaml"]));
});

describe("every example of code compiles as it stands", () => {
  const examples = [...code("ts"), ...code("tsx")];
  consumer.write("examples/elsewhere.d.ts", elsewhere);
  mkdirSync(join(consumer.folder, "node_modules/@types"));
  symlinkSync(
    join(import.meta.dir, "../../node_modules/@types/react"),
    join(consumer.folder, "node_modules/@types/react"),
  );
  for (const [index, example] of examples.entries()) consumer.write(`examples/example-${index}.tsx`, example);
  consumer.write(
    "tsconfig.json",
    JSON.stringify({
      include: ["examples"],
      compilerOptions: {
        module: "nodenext",
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable"],
        types: ["node"],
        jsx: "react-jsx",
        typeRoots: [nodeTypes],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      },
    }),
  );

  test.each(Object.entries(compilers).slice(-2))("%s", (_, compiler) => {
    expect(examples.length).toBeGreaterThan(8);
    expect(consumer.run(...nodeForCompilers, compiler, "--project", ".")).toEqual({ code: 0, said: "" });
  });
});

test("the examples of workflows give the action inputs that it has", () => {
  const steps = code("yaml").flatMap((text) => Bun.YAML.parse(text) as { uses?: string; with?: object }[]);
  const using = steps.filter(({ uses }) => uses?.includes("client/action"));
  expect(using).toHaveLength(1);
  const unknown = using.flatMap((step) => Object.keys(step.with ?? {})).filter((name) => !(name in action.inputs));
  expect(unknown).toEqual([]);
  for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)]) {
    expect(readme).toContain(`\`${name}\``);
  }
});

test("the sizes are the ones that are checked", () => {
  const rows = [...readme.matchAll(/\| ([\d.]+) kB +\|$/gm)].map(([, size]) => Number(size));
  expect(rows).toEqual(budgets.map(({ max }) => max));
});

test("links within the page lead somewhere", () => {
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  const targets = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !headings.includes(target))).toEqual([]);
});
