/**
 * `node compile.cjs COMPILER TSCONFIG…`: compiles one project after the other with a TypeScript that is written in
 * JavaScript, in one process: its code is warm after the first project, and the declarations that come with it are
 * parsed once. Prints one JSON string for each project: what `tsc --project` would say, empty when all is well.
 */
const { dirname } = require("node:path");

const [, , compiler, ...projects] = process.argv;
const ts = require(compiler);

const told = {
  getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
  getCanonicalFileName: (name) => name,
  getNewLine: () => "\n",
};

const library = dirname(compiler);
/** The declarations that come with the compiler, by their path and the options with which they were parsed. */
const parsedFiles = new Map();

/** What a compiler reads a project with. Programs never change a file that was parsed, so they may share it. */
function hostOf(options) {
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile;
  host.getSourceFile = (path, parseOptions, ...rest) => {
    if (dirname(path) !== library) return parse(path, parseOptions, ...rest);
    const key = `${path} ${JSON.stringify(parseOptions)}`;
    const file = parsedFiles.get(key) ?? parse(path, parseOptions, ...rest);
    parsedFiles.set(key, file);
    return file;
  };
  return host;
}

function faultsOf({ fileNames, options, errors }) {
  return [...errors, ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, hostOf(options)))];
}

for (const project of projects) {
  const broken = [];
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (diagnostic) => broken.push(diagnostic) };
  const parsed = ts.getParsedCommandLineOfConfigFile(project, {}, host);
  const faults = ts.formatDiagnostics(parsed ? faultsOf(parsed) : broken, told);
  process.stdout.write(`${JSON.stringify(faults)}\n`);
}
