/** Whether a pull request's address lies on the host and below the path of its repository. */
export function liesIn(url: string, repository: string): boolean {
  const [request, home] = [URL.parse(url), URL.parse(repository)];
  if (!request || !home || request.protocol !== "https:" || request.host !== home.host) return false;
  if (request.username !== "" || request.password !== "") return false;
  const path = home.pathname.replace(/\.git\/?$/, "").replace(/\/$/, "");
  return request.pathname.toLowerCase().startsWith(`${path.toLowerCase()}/`);
}
