/** Options of a Java program that runs for seconds: what its second compiler would gain, it would cost. */
export const shortJava = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"];

/** Maven, as a short program. */
export const maven = ["env", `MAVEN_OPTS=${shortJava.join(" ")}`, "mvn", "--quiet", "--batch-mode"];

/** The compiler of Java, as a short program. */
export const javac = ["javac", ...shortJava.map((option) => `-J${option}`), "-encoding", "UTF-8"];
