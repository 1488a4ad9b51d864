/**
 * `node compile.cjs COMPILER TSCONFIG…`: compiles one project after the other with a TypeScript that is written in
 * JavaScript, in one process: its code is warm after the first project. Prints one JSON string for each project: what
 * `tsc --project` would say, empty when all is well.
 */
const [, , compiler, ...projects] = process.argv;
const ts = require(compiler);

const told = {
  getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};

for (const project of projects) {
  const broken = [];
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => broken.push(diagnostic) };
  const parsed = ts.getParsedCommandLineOfConfigFile(project, {}, host);
  const faults = parsed
    ? [...parsed.errors, ...ts.getPreEmitDiagnostics(ts.createProgram(parsed.fileNames, parsed.options))]
    : broken;
  process.stdout.write(`${JSON.stringify(ts.formatDiagnostics(faults, told))}\n`);
}
