import { expect, test } from "bun:test";
import { isIP } from "node:net";
import fc from "fast-check";
import { cutAddress, limitKeyOf, requireNetwork, SourceAddresses } from "./source-address.ts";

const proxies = ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "2001:db8::7"];
const trusting = new SourceAddresses(proxies);
const alone = new SourceAddresses([]);

test("without a socket there is no source", () => {
  expect(alone.of(undefined, "192.0.2.1")).toBeUndefined();
  expect(trusting.of(undefined, "192.0.2.1")).toBeUndefined();
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::1", "::1"],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:C000:201", "192.0.2.1"],
  ["fe80::1%eth0", "fe80::1"],
])("the peer %s is %s", (peer, source) => {
  for (const addresses of [alone, trusting]) {
    expect(addresses.of(peer, null)).toBe(source);
    expect(addresses.of(peer, "")).toBe(source);
  }
});

test("of peers on private addresses that forward without being trusted one is told, once", () => {
  for (const peer of [
    "127.0.0.1",
    "::1",
    "172.17.0.1",
    "::ffff:192.168.1.2",
    "fd00::1",
    "fe80::1%eth0",
    "100.64.0.1",
  ]) {
    const told: string[] = [];
    const addresses = new SourceAddresses(["10.0.0.0/8"], (one) => told.push(one));
    addresses.of(peer, null);
    // A trusted proxy, and peers on the internet, which may write anything into the header.
    addresses.of("10.0.0.1", "198.51.100.1");
    addresses.of("192.0.2.1", "198.51.100.1");
    addresses.of("8.8.8.8", "198.51.100.1");
    expect(told).toEqual([]);
    const source = addresses.of(peer, "198.51.100.1");
    expect(addresses.of(peer, "198.51.100.1")).toBe(source);
    addresses.of("127.0.0.9", "198.51.100.1");
    expect(told).toEqual([source as string]);
  }
});

test("a header from a peer that nobody trusts is ignored", () => {
  for (const peer of ["192.0.2.1", "11.0.0.1", "2001:db8::8", "fe00::1", "::ffff:192.0.2.8"]) {
    expect(trusting.of(peer, "198.51.100.1")).toBe(trusting.of(peer, null) as string);
  }
});

test("a trusted peer's last entry is the source, however the proxy is written", () => {
  const ways = ["10.0.0.1", "10.255.255.255", "192.0.2.7", "::ffff:10.1.2.3", "::ffff:c000:207"];
  for (const peer of [...ways, "fd12:3456::1", "2001:db8:0:0::7", "2001:DB8::7"]) {
    expect(trusting.of(peer, "198.51.100.1")).toBe("198.51.100.1");
  }
});

test("an IPv4 proxy may be given as it looks in IPv6", () => {
  for (const network of ["::ffff:10.0.0.1", "::ffff:10.0.0.0/104"]) {
    const addresses = new SourceAddresses([requireNetwork(network)]);
    for (const peer of ["10.0.0.1", "::ffff:10.0.0.1"]) expect(addresses.of(peer, "198.51.100.1")).toBe("198.51.100.1");
  }
});

test.each([
  ["one hop", "198.51.100.1", "198.51.100.1"],
  ["trusted hops on the right", "198.51.100.1, 10.0.0.2, 192.0.2.7,fd00::1", "198.51.100.1"],
  ["forged entries on the left", "203.0.113.9, 127.0.0.1, 198.51.100.1", "198.51.100.1"],
  ["a forged trusted entry on the left", "10.0.0.9, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
  ["only trusted hops", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  ["blanks and tabs", " \t198.51.100.1 ,\t10.0.0.2 ", "198.51.100.1"],
  ["a port", "198.51.100.1:4711", "198.51.100.1"],
  ["IPv6", "2001:db8::1", "2001:db8::1"],
  ["IPv6 in capitals", "2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
  ["IPv6 in brackets", "[2001:db8::1]", "2001:db8::1"],
  ["IPv6 in brackets with a port", "[2001:db8::1]:4711", "2001:db8::1"],
  ["IPv6 in quotes", '"[2001:db8::1]:4711"', "2001:db8::1"],
  ["IPv4 in IPv6", "::ffff:198.51.100.1", "198.51.100.1"],
  ["IPv4 in IPv6, in brackets", "[::ffff:198.51.100.1]:80", "198.51.100.1"],
  ["a trusted hop as IPv4 in IPv6", "198.51.100.1, ::ffff:10.0.0.2", "198.51.100.1"],
  ["a zone", "fe80::1%eth0", "fe80::1"],
])("%s", (_, header, source) => {
  expect(trusting.of("10.0.0.1", header)).toBe(source);
});

const garbage = [
  "",
  " ",
  "unknown",
  "_hidden",
  "example.org",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "1.2.3.256",
  "01.2.3.4",
  "1.2.3.4:",
  "1.2.3.4:port",
  "1.2.3.4/8",
  "0x7f000001",
  "2130706433",
  ":::",
  "2001:db8::1::2",
  "[2001:db8::1",
  "2001:db8::1]",
  "[]",
  "[1.2.3.4",
  "12345::",
  "for=192.0.2.1",
  "'1.2.3.4'",
  "１.2.3.4",
  "\0",
];

test.each(garbage)("%j is no address: the hop to its right is the source", (entry) => {
  expect(trusting.of("10.0.0.1", entry)).toBe("10.0.0.1");
  expect(trusting.of("10.0.0.1", `198.51.100.1, ${entry}, 10.0.0.2`)).toBe("10.0.0.2");
  expect(trusting.of("10.0.0.1", `${entry}, 198.51.100.1`)).toBe("198.51.100.1");
  expect(trusting.of("10.0.0.1", `${entry}, 198.51.100.1, 10.0.0.2`)).toBe("198.51.100.1");
});

test("many hops are walked in one go", () => {
  const hops = Array.from({ length: 20_000 }, () => "10.0.0.2").join(",");
  expect(trusting.of("10.0.0.1", `198.51.100.1,${hops}`)).toBe("198.51.100.1");
  expect(trusting.of("10.0.0.1", ",".repeat(100_000))).toBe("10.0.0.1");
});

test("whoever trusts all addresses gets the first of the chain", () => {
  const all = new SourceAddresses(["0.0.0.0/0", "::/0"]);
  expect(all.of("192.0.2.1", "198.51.100.1, 2001:db8::1, 203.0.113.1")).toBe("198.51.100.1");
  const four = new SourceAddresses(["0.0.0.0/0"]);
  expect(four.of("2001:db8::1", "198.51.100.1")).toBe("2001:db8::1");
});

const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }).map((groups) => groups.map((g) => g.toString(16)).join(":")),
  fc
    .tuple(fc.constantFrom("::", "::ffff:", "1::", "64:ff9b::", "0:0:0:0:0:0:", "::ffff:0:"), fc.ipV4())
    .map((all) => all.join("")),
);
const entry = fc.oneof(
  fc.ipV4(),
  ipv6,
  ipv6.map((address) => `[${address}]:80`),
  fc.constantFrom(...garbage, ...proxies.map((proxy) => proxy.replace(/\/.*/, ""))),
  fc.string({ maxLength: 12 }),
);
const header = fc.array(entry, { maxLength: 6 }).map((entries) => entries.join(", "));

test("without trusted proxies the header never matters", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), ipv6), header, (peer, forwarded) => {
      expect(alone.of(peer, forwarded)).toBe(alone.of(peer, null) as string);
    }),
    { numRuns: 500 },
  );
});

test("whatever the header says, the source is an address, and what was right of it is trusted", () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), ipv6, fc.constantFrom("10.0.0.1", "fd00::1")), header, (peer, forwarded) => {
      const source = trusting.of(peer, forwarded) as string;
      expect(isIP(source)).not.toBe(0);
      expect(isIP(limitKeyOf(source))).toBe(isIP(source));
      expect(isIP(cutAddress(source))).toBe(isIP(source));
      // Entries that a client writes on the left change nothing behind an untrusted hop.
      const met = trusting.of(source, "203.0.113.77") === source;
      if (met) expect(trusting.of(peer, `203.0.113.77, ${forwarded}`)).toBe(source);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
  ["2001:db8:1:2::", "2001:db8:1:2::"],
  ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"],
  ["2001:db8:1:3::1", "2001:db8:1:3::"],
  ["::1", "::"],
])("%s counts as %s", (source, key) => {
  expect(limitKeyOf(source)).toBe(key);
});

test("a source that is not known counts as one", () => {
  expect(limitKeyOf("")).toBe("");
});

test.each([
  ["192.0.2.129", "192.0.2.0"],
  ["255.255.255.255", "255.255.255.0"],
  ["2001:db8:1234:5678:9abc:def0:1234:5678", "2001:db8:1234::"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff::"],
  ["::1", "::"],
])("of %s, %s is kept", (source, kept) => {
  expect(cutAddress(source)).toBe(kept);
});

test("IPv4 in IPv6 counts and is cut as IPv4, because it is unwrapped before", () => {
  const source = alone.of("::ffff:192.0.2.129", null) as string;
  expect(limitKeyOf(source)).toBe("192.0.2.129");
  expect(cutAddress(source)).toBe("192.0.2.0");
});

test.each([
  "10.0.0.1",
  "10.0.0.0/8",
  "0.0.0.0/0",
  "10.0.0.1/32",
  "::1",
  "2001:DB8::/32",
  "::/0",
  "::1/128",
  "::ffff:10.0.0.1",
])("%s can be trusted", (text) => {
  expect(requireNetwork(text)).toBe(text);
  expect(() => new SourceAddresses([text])).not.toThrow();
});

test.each([
  "",
  "x",
  "10.0.0",
  "10.0.0.1/33",
  "10.0.0.1/-1",
  "10.0.0.1/",
  "10.0.0.1/8/8",
  "10.0.0.1/1e1",
  "10.0.0.1/ 8",
  " 10.0.0.1",
  "010.0.0.1",
  "::1/129",
  "fe80::1%eth0",
  "[::1]",
  "10.0.0.1:80",
  "localhost",
  "10.0.0.*",
])("%j cannot", (text) => {
  expect(() => requireNetwork(text)).toThrow("addresses or ranges");
});
