/** One ticket by API, of which no other request knows. */
export async function sendTicket({ url, token }: { url: string; token: string }, title: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify({ title }),
  });
  if (answer.status !== 201) throw new Error(`a ticket was answered ${answer.status}: ${await answer.text()}`);
  await answer.text();
}
