export { scrub } from "./reports/scrub.ts";
