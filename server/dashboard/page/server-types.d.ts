/** What the types of the routes lead to on the server, and the browser's library does not know. */
declare module "*.sql" {
  const text: string;
  export default text;
}

interface Worker {
  unref(): void;
}
