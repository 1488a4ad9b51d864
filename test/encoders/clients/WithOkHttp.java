import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import okhttp3.Headers;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;

public class WithOkHttp {
  /** A line for each report. */
  public static void main(String[] none) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) send(line.split("\t"));
    // Its pools would keep the process for minutes.
    System.exit(0);
  }

  private static void send(String[] args) throws Exception {
    var url = args[0];
    var key = args[1];
    var envelope = new File(args[2]);
    var screenshot = new File(args[3]);
    var log = new File(args[4]);
    var form = new MultipartBody.Builder().setType(MultipartBody.FORM);
    if (args[5].equals("named")) {
      form.addFormDataPart("envelope", envelope.getName(), RequestBody.create(envelope, MediaType.get("application/json")));
      form.addFormDataPart("screenshot", screenshot.getName(), RequestBody.create(screenshot, MediaType.get("image/png")));
      form.addFormDataPart("log", log.getName(), RequestBody.create(log, MediaType.get("text/plain")));
    } else {
      form.addPart(named("envelope"), RequestBody.create(Files.readAllBytes(envelope.toPath())));
      form.addPart(named("screenshot"), RequestBody.create(screenshot, MediaType.get("image/png")));
      form.addPart(named("log"), RequestBody.create(log, MediaType.get("text/plain")));
    }
    var client = new OkHttpClient();
    var request = new Request.Builder().url(url).header("Authorization", "Bearer " + key).post(form.build()).build();
    try (var answer = client.newCall(request).execute()) {
      System.out.println(answer.body().string());
      System.out.print(answer.code() + "\0");
      System.out.flush();
    }
  }

  private static Headers named(String name) {
    return Headers.of("Content-Disposition", "form-data; name=\"" + name + "\"");
  }
}
