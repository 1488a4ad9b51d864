import { join } from "node:path";
import type { Program } from "./generator.ts";
import { installed } from "./install.ts";

/** Checked by tsc together with the client; Node runs them. */
export function typescript(name: string, others: string[] = []): Program {
  return {
    language: "TypeScript",
    folder: name,
    files: files("typescript", `${name}.ts`, "main.ts", "tsconfig.json", ...others),
    build: [[installed.node, join(installed.modules, "typescript/bin/tsc"), "--project", "."]],
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
    build: [[...installed.go, "build", "-o", "program", "."]],
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
      ["sh", "-c", `javac -encoding UTF-8 -cp '${classPath}' -d classes $(find client/src/main -name '*.java') *.java`],
    ],
    start: ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath, "Program"],
  };
}

function files(language: string, program: string, ...others: string[]): [string, ...string[]] {
  const path = (name: string) => `programs/${language}/${name}`;
  return [path(program), ...others.map(path)];
}
