/** As its users write it: one transaction for each request. */
export function oneByOne(db, write) {
  return db.transaction(write).immediate;
}

/** All requests of one turn of the event loop in one transaction; nobody is answered before its COMMIT. */
export function grouped(db, write) {
  const writeAll = db.transaction((jobs) => jobs.map(({ input }) => write(input))).immediate;
  let queue = [];
  const flush = () => {
    const jobs = queue;
    queue = [];
    try {
      for (const [i, answer] of writeAll(jobs).entries()) jobs[i].resolve(answer);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  };
  return (input) =>
    new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ input, resolve, reject });
    });
}
