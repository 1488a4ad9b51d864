import com.google.gson.Gson;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ReportsApi;
import org.openapitools.client.api.TicketsApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.CreateTicket;

public class Program {
  /** Does what each line of stdin says, with tabs between the words, and prints each answer as JSON with a NUL behind it. */
  public static void main(String[] none) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      var words = line.split("\t");
      var answer = words[0].equals("ticket") ? createTicket(words) : submitReport(words);
      System.out.print(new Gson().toJson(answer) + "\0");
      System.out.flush();
    }
    // Its pool of connections would keep the process for minutes.
    System.exit(0);
  }

  private static Map<String, Object> createTicket(String[] words) throws Exception {
    var client = new ApiClient();
    ((HttpBearerAuth) client.getAuthentication("apiToken")).setBearerToken(words[2]);
    var tickets = new TicketsApi(client);
    tickets.setCustomBaseUrl(words[1]);
    var ticket = new CreateTicket().title(words[4]);
    if (words.length > 5) ticket.boardId(UUID.fromString(words[5]));
    try {
      var answer = tickets.createTicketWithHttpInfo(ticket, words[3]);
      var replayed = answer.getHeaders().getOrDefault("Idempotent-Replayed", List.of()).contains("true");
      return Map.of(
          "status", answer.getStatusCode(), "id", answer.getData().getId().toString(), "repeated", replayed);
    } catch (ApiException refused) {
      // Not CreateTicketNotFound.fromJson: it keeps no code that it does not know.
      var error = JsonParser.parseString(refused.getResponseBody()).getAsJsonObject().get("error");
      return Map.of("status", refused.getCode(), "error", error.getAsString());
    }
  }

  private static Map<String, Object> submitReport(String[] words) throws Exception {
    var client = new ApiClient();
    ((HttpBearerAuth) client.getAuthentication("sdkKey")).setBearerToken(words[2]);
    var reports = new ReportsApi(client);
    reports.setCustomBaseUrl(words[1]);
    var answer =
        reports.submitReportWithHttpInfo(new File(words[3]), new File(words[4]), null, null, null, null);
    var received = answer.getData();
    return Map.of(
        "status", answer.getStatusCode(),
        "id", received.getEventId().toString(),
        "repeated", received.getIdempotent());
  }
}
