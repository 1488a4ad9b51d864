import { dlopen } from "bun:ffi";

/** Files that are written, synced or read at a time. */
const threads = 16;
const variable = "UV_THREADPOOL_SIZE";

/**
 * Lets more files be written at a time than the machine has processors, for which Bun sizes its pool of threads: each
 * waits for the disk nearly all the time, and a file system syncs many files at the price of one. Bun reads the variable
 * from the environment of the process when it first needs a thread, and what JavaScript changes there does not reach it.
 * To be called before that. A value that an operator has set stays.
 */
export function allowFileThreads() {
  if (process.env[variable] !== undefined) return;
  try {
    const { symbols } = dlopen(process.platform === "darwin" ? "libSystem.B.dylib" : "libc.so.6", {
      setenv: { args: ["cstring", "cstring", "int"], returns: "int" },
    });
    symbols.setenv(Buffer.from(`${variable}\0`), Buffer.from(`${threads}\0`), 0);
  } catch {
    // Another C library: files are written as many at a time as there are processors.
  }
}
