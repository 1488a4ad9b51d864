/** Types of the server that the types of its routes refer to and that the browser's library lacks. */
declare module "*.sql" {
  const text: string;
  export default text;
}

interface Worker {
  unref(): void;
}
