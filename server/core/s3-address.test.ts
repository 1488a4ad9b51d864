import { expect, test } from "bun:test";
import { objectUrl, readS3Address } from "./s3-address.ts";

test("of AWS, bucket and region are enough", () => {
  expect(readS3Address("s3://bucket?region=eu-central-1")).toEqual({
    bucket: "bucket",
    prefix: "",
    region: "eu-central-1",
    endpoint: "https://s3.eu-central-1.amazonaws.com",
    pathStyle: false,
  });
  expect(readS3Address("s3://bucket/", { AWS_REGION: "cn-north-1" }).endpoint).toBe(
    "https://s3.cn-north-1.amazonaws.com.cn",
  );
  expect(readS3Address("s3://bucket", { AWS_REGION: "", AWS_DEFAULT_REGION: "us-west-2" }).region).toBe("us-west-2");
  expect(readS3Address("s3://bucket?region=eu-west-1", { AWS_REGION: "us-west-2" }).region).toBe("eu-west-1");
  expect(() => readS3Address("s3://bucket", {})).toThrow("names no region: add ?region=… or set AWS_REGION");
  expect(() => readS3Address("s3://bucket")).toThrow(/names no region: add \?region=…$/);
});

test("another server is named by its endpoint, and has buckets in the path unless told otherwise", () => {
  const address = readS3Address("s3://bucket/a/b.c_d-e/?endpoint=https://s3.example.org:9000");
  expect(address).toEqual({
    bucket: "bucket",
    prefix: "a/b.c_d-e/",
    region: "us-east-1",
    endpoint: "https://s3.example.org:9000",
    pathStyle: true,
  });
  expect(objectUrl(address, "a/b.c_d-e/x").href).toBe("https://s3.example.org:9000/bucket/a/b.c_d-e/x");
  const hosted = readS3Address("s3://bucket?endpoint=https://s3.example.org:9000&path-style=false");
  expect(objectUrl(hosted, "x").href).toBe("https://bucket.s3.example.org:9000/x");
  expect(objectUrl(hosted, "").href).toBe("https://bucket.s3.example.org:9000/");
});

test("a bucket with a dot is in the path, where no certificate has to cover it", () => {
  expect(readS3Address("s3://my.bucket?region=eu-west-1").pathStyle).toBe(true);
});

test("a prefix is the same with and without a slash at its end", () => {
  const prefixOf = (path: string) => readS3Address(`s3://bucket${path}?region=eu-west-1`).prefix;
  expect(["", "/", "/a", "/a/", "/a/b/"].map(prefixOf)).toEqual(["", "", "a/", "a/", "a/b/"]);
});

const secrets = /AKIAEXAMPLE|wJalrXUtn|hunter2/;

test.each([
  "s3://AKIAEXAMPLE:wJalrXUtn@bucket?region=eu-west-1",
  "s3://AKIAEXAMPLE@bucket?region=eu-west-1",
  "s3://AKIAEXAMPLE:wJalrXUtn/with/slash@bucket",
  "s3://AKIAEXAMPLE:123/wJalrXUtn@bucket",
  "s3://bucket?region=eu-west-1&access_key=AKIAEXAMPLE",
  "s3://bucket?region=eu-west-1&secret=wJalrXUtn",
  "s3://bucket?region=eu-west-1&AWS_SESSION_TOKEN=wJalrXUtn",
  "s3://bucket?endpoint=https://AKIAEXAMPLE:wJalrXUtn@s3.example.org",
  "s3://bucket?endpoint=https://s3.example.org/AKIAEXAMPLE",
  "s3://bucket?region=hunter2.wJalrXUtn",
  "s3://bucket?path-style=hunter2",
  "s3://bucket?AKIAEXAMPLE=wJalrXUtn",
  "s3://bucket#AKIAEXAMPLE",
  "s3://AKIAEXAMPLE/wJalrXUtn",
  "AKIAEXAMPLE:wJalrXUtn@s3://bucket",
  "https://hunter2.s3.example.org/bucket",
])("%s is refused, and nothing of it is repeated", (text) => {
  let message = "";
  try {
    readS3Address(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).not.toBe("");
  expect(message).not.toMatch(secrets);
});

test("credentials in the address are told where they belong", () => {
  for (const text of ["s3://id:secret@bucket", "s3://bucket?secret_key=x", "s3://bucket?endpoint=http://id:s@host"]) {
    expect(() => readS3Address(text)).toThrow(/must not hold credentials: .*AWS_ACCESS_KEY_ID/);
  }
});

test.each([
  ["s3://ab?region=eu-west-1", "the bucket"],
  ["s3://Bucket?region=eu-west-1", "the bucket"],
  ["s3://a..b?region=eu-west-1", "the bucket"],
  ["s3://bucket/a//b?region=eu-west-1", "the prefix"],
  ["s3://bucket/a%2Fb?region=eu-west-1", "the prefix"],
  ["s3://bucket/a b?region=eu-west-1", "the prefix"],
  ["s3://bucket/<a>?region=eu-west-1", "the prefix"],
  ["s3://bucket/a&b?region=eu-west-1", "the prefix"],
  ["s3://bucket?region=EU", "the region"],
  ["s3://bucket?region=eu-west-1&region=eu-west-2", "region stands there twice"],
  ["s3://bucket?regoin=eu-west-1", "region, endpoint, path-style and no others"],
  ["s3://bucket?endpoint=s3.example.org", "the endpoint"],
  ["s3://bucket?endpoint=ftp://s3.example.org", "the endpoint"],
  ["s3://bucket?endpoint=https://s3.example.org/bucket", "the endpoint"],
  ["s3://bucket?endpoint=https://s3.example.org&path-style=yes", "path-style must be true or false"],
  ["s3:bucket", "s3://BUCKET/PREFIX"],
  ["bucket", "s3://BUCKET/PREFIX"],
  ["", "s3://BUCKET/PREFIX"],
])("%s is refused for %s", (text, words) => {
  expect(() => readS3Address(text)).toThrow(words);
});
