import { parseRepositoryUrl } from "./repository-url.ts";

/** Whether a pull request's address lies on the host and below the path of its repository. */
export function isPullRequestOf(url: string, repository: string): boolean {
  const [request, home] = [URL.parse(url), parseRepositoryUrl(repository)];
  if (!request || !home || request.protocol !== "https:") return false;
  if (request.username !== "" || request.password !== "") return false;
  // The port of an ssh address is not that of the host's web pages, so only the host names are compared.
  if ((home.scheme === "ssh" ? request.hostname : request.host) !== home.host) return false;
  const path = home.path.replace(/\.git\/?$/, "").replace(/\/$/, "");
  return request.pathname.toLowerCase().startsWith(`${path.toLowerCase()}/`);
}
