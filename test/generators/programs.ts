import { join } from "node:path";
import { javac, shortJava } from "../support/java.ts";
import type { Program } from "./generator.ts";
import { installed } from "./install.ts";

/** The native compiler that checks this project takes a fifth of the time of the one that the generators come with. */
const tsc = join(import.meta.dir, "../../node_modules/typescript/bin/tsc");

/** Programs that tsc checks together with the client, and that Node runs. */
export function typescript(name: string, others: string[] = []): Program {
  return {
    language: "TypeScript",
    folder: name,
    files: files("typescript", `${name}.ts`, "main.ts", "tsconfig.json", ...others),
    build: [[installed.node, tsc, "--project", "."]],
    start: [installed.node, `built/${name}.js`],
  };
}

export function python(name: string): Program {
  const interpreter = join(installed.python, "python");
  return {
    language: "Python",
    folder: name,
    files: files("python", `${name}.py`, "main.py"),
    build: [[interpreter, "-m", "compileall", "-q", "."]],
    start: ["env", "PYTHONPATH=client", interpreter, `${name}.py`],
  };
}

export function go(name: string): Program {
  return {
    language: "Go",
    folder: name,
    files: [...files("go", `${name}.go`, "main.go"), "go.mod", "go.sum"],
    build: [[...installed.go, "build", "-ldflags=-s -w", "-o", "program", "."]],
    start: ["./program"],
  };
}

export function java(name: string): Program {
  const classPath = `classes:${installed.jars}/*`;
  return {
    language: "Java",
    folder: name,
    files: files("java", "Program.java"),
    build: [
      ["sh", "-c", `${javac.join(" ")} -cp '${classPath}' -d classes $(find client/src/main -name '*.java') *.java`],
    ],
    start: ["java", ...shortJava, "-cp", classPath, "Program"],
  };
}

function files(language: string, program: string, ...others: string[]): [string, ...string[]] {
  const path = (name: string) => `programs/${language}/${name}`;
  return [path(program), ...others.map(path)];
}
