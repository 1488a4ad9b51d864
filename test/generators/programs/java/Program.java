import com.google.gson.Gson;
import com.google.gson.JsonParser;
import java.io.File;
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
  /** Does what the arguments say and prints the answer as one line of JSON. */
  public static void main(String[] arguments) throws Exception {
    var answer = arguments[0].equals("ticket") ? createTicket(arguments) : submitReport(arguments);
    System.out.println(new Gson().toJson(answer));
    // Its pool of connections would keep the process for minutes.
    System.exit(0);
  }

  private static Map<String, Object> createTicket(String[] arguments) throws Exception {
    var client = new ApiClient();
    ((HttpBearerAuth) client.getAuthentication("apiToken")).setBearerToken(arguments[2]);
    var tickets = new TicketsApi(client);
    tickets.setCustomBaseUrl(arguments[1]);
    var ticket = new CreateTicket().title(arguments[4]);
    if (arguments.length > 5) ticket.boardId(UUID.fromString(arguments[5]));
    try {
      var answer = tickets.createTicketWithHttpInfo(ticket, arguments[3]);
      var replayed = answer.getHeaders().getOrDefault("Idempotent-Replayed", List.of()).contains("true");
      return Map.of(
          "status", answer.getStatusCode(), "id", answer.getData().getId().toString(), "repeated", replayed);
    } catch (ApiException refused) {
      // Not CreateTicketNotFound.fromJson: it keeps no code that it does not know.
      var error = JsonParser.parseString(refused.getResponseBody()).getAsJsonObject().get("error");
      return Map.of("status", refused.getCode(), "error", error.getAsString());
    }
  }

  private static Map<String, Object> submitReport(String[] arguments) throws Exception {
    var client = new ApiClient();
    ((HttpBearerAuth) client.getAuthentication("sdkKey")).setBearerToken(arguments[2]);
    var reports = new ReportsApi(client);
    reports.setCustomBaseUrl(arguments[1]);
    var answer =
        reports.submitReportWithHttpInfo(new File(arguments[3]), new File(arguments[4]), null, null, null, null);
    var received = answer.getData();
    return Map.of(
        "status", answer.getStatusCode(),
        "id", received.getEventId().toString(),
        "repeated", received.getIdempotent());
  }
}
