import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.entity.mime.HttpMultipartMode;
import org.apache.hc.client5.http.entity.mime.MultipartEntityBuilder;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.EntityUtils;

public class WithApache {
  /** A line for each report. */
  public static void main(String[] none) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) send(line.split("\t"));
  }

  private static void send(String[] args) throws Exception {
    var url = args[0];
    var key = args[1];
    var envelope = new File(args[2]);
    var screenshot = new File(args[3]);
    var log = new File(args[4]);
    var form = MultipartEntityBuilder.create();
    switch (args[5]) {
      case "strict" -> form.setMode(HttpMultipartMode.STRICT);
      case "extended" -> form.setMode(HttpMultipartMode.EXTENDED).setCharset(StandardCharsets.UTF_8);
      default -> form.setMode(HttpMultipartMode.LEGACY).setCharset(StandardCharsets.UTF_8);
    }
    if (args[5].equals("bare")) {
      form.addBinaryBody("envelope", Files.readAllBytes(envelope.toPath()), ContentType.APPLICATION_JSON, null);
      form.addBinaryBody("screenshot", Files.readAllBytes(screenshot.toPath()), ContentType.IMAGE_PNG, null);
      form.addBinaryBody("log", Files.readAllBytes(log.toPath()));
    } else {
      // A stream has no length, so the body goes chunked.
      form.addBinaryBody("envelope", new FileInputStream(envelope), ContentType.APPLICATION_JSON, envelope.getName());
      form.addBinaryBody("screenshot", screenshot, ContentType.IMAGE_PNG, screenshot.getName());
      form.addBinaryBody("log", log, ContentType.create("text/plain"), log.getName());
    }
    var post = new HttpPost(url);
    post.setHeader("Authorization", "Bearer " + key);
    post.setEntity(form.build());
    try (var client = HttpClients.createDefault()) {
      client.execute(
          post,
          answer -> {
            System.out.println(EntityUtils.toString(answer.getEntity()));
            System.out.print(answer.getCode() + "\0");
            System.out.flush();
            return null;
          });
    }
  }
}
