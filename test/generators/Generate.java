import java.util.ArrayList;
import java.util.List;
import org.openapitools.codegen.OpenAPIGenerator;

/** Runs several command lines of openapi-generator, with the word "and" between them. */
public class Generate {
  public static void main(String[] words) throws Exception {
    var command = new ArrayList<String>();
    for (var word : List.of(words)) {
      if (word.equals("and")) {
        OpenAPIGenerator.main(command.toArray(String[]::new));
        command.clear();
      } else command.add(word);
    }
    OpenAPIGenerator.main(command.toArray(String[]::new));
  }
}
