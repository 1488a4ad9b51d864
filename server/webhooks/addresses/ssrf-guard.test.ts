import { describe, expect, test } from "bun:test";
import { inTime } from "../../../test/support/in-time.ts";
import { AddressRefused, requireAllow, SsrfGuard } from "./ssrf-guard.ts";

const publicFour = "93.184.215.14";
const publicSix = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";

function leadingTo(...found: string[]) {
  return async () => found.map((address) => ({ address }));
}

async function refusalOf(url: string, { allow = [] as string[], found = [publicFour] } = {}) {
  const addresses = new SsrfGuard({ allow, resolve: leadingTo(...found) });
  const refusal = await addresses.resolve(url).then(
    () => undefined,
    (error) => error,
  );
  if (refusal === undefined) return undefined;
  expect(refusal).toBeInstanceOf(AddressRefused);
  return { fault: refusal.fault, final: refusal.final };
}

const badUrl = { fault: "bad_url", final: true } as const;
const forbiddenLiteral = { fault: "forbidden_address", final: true } as const;
const forbiddenName = { fault: "forbidden_address", final: false } as const;

describe("what is written", () => {
  test.each([
    "",
    "hooks.example.com",
    "/hook",
    "ftp://hooks.example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "http://hooks.example.com/",
    "https://",
    "https://user@hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://:secret@hooks.example.com/",
    "https://hooks.example.com:0/",
    "https://hooks.example.com:65536/",
    "https://a b/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://256.1.1.1/",
    "https://1.1.1.1.1/",
    "https://[1::2::3]/",
  ])("%p is no address", async (url) => {
    expect(await refusalOf(url)).toEqual(badUrl);
  });

  test("has no fragment afterwards, and keeps everything else", () => {
    const url = new SsrfGuard({ allow: [] }).check("https://Hooks.Example.com:8443/a%2Fb?c=d#e");
    expect(url.href).toBe("https://hooks.example.com:8443/a%2Fb?c=d");
  });

  test("is refused at once when it is forbidden, without the resolver", async () => {
    const addresses = new SsrfGuard({
      allow: [],
      resolve: () => {
        throw new Error("asked");
      },
    });
    expect(() => addresses.check("https://10.0.0.1/")).toThrow(AddressRefused);
    await expect(addresses.resolve("https://10.0.0.1/")).rejects.toThrow(AddressRefused);
  });
});

describe("literal addresses", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "0x7f000001",
    "127.0.0.1.",
    "0x7f000001.",
    "0",
    "0.0.0.0",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:93.184.215.14]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[100::1]",
    "[2001::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:db8::1]",
    "[2002:7f00:1::]",
    "[2002:5db8:d70e::]",
    "[3fff::1]",
    "[4000::1]",
    "[5f00::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
  ])("%p is forbidden", async (host) => {
    expect(await refusalOf(`https://${host}/`)).toEqual(forbiddenLiteral);
  });

  test.each([
    [publicFour, publicFour, 4],
    ["1572394766", publicFour, 4],
    ["100.63.255.255", "100.63.255.255", 4],
    ["100.128.0.0", "100.128.0.0", 4],
    ["172.32.0.0", "172.32.0.0", 4],
    [`[${publicSix}]`, publicSix, 6],
  ] as const)("%p is public", async (host, address, family) => {
    const target = await new SsrfGuard({ allow: [], resolve: leadingTo() }).resolve(`https://${host}/`);
    expect(target.addresses).toEqual([{ address, family }]);
  });
});

describe("names", () => {
  test("lead to all their addresses, in the order of the resolver", async () => {
    const addresses = new SsrfGuard({ allow: [], resolve: leadingTo(publicSix, publicFour) });
    const target = await addresses.resolve("https://hooks.example.com/");
    expect(target.url.href).toBe("https://hooks.example.com/");
    expect(target.addresses).toEqual([
      { address: publicSix, family: 6 },
      { address: publicFour, family: 4 },
    ]);
  });

  test.each([
    [["127.0.0.1"]],
    [[publicFour, "10.0.0.1"]],
    [["::1", publicFour]],
    [[publicFour, "::ffff:127.0.0.1"]],
    [[`${publicSix}%eth0`]],
    [["not an address"]],
    [["127.1"]],
  ])("with %p among their addresses are refused, and may lead elsewhere later", async (found) => {
    expect(await refusalOf("https://hooks.example.com/", { found })).toEqual(forbiddenName);
  });

  test("lead to eight addresses at most, and each of them all is checked", async () => {
    const many = Array.from({ length: 20 }, (_, index) => `93.184.215.${index}`);
    const target = await new SsrfGuard({ allow: [], resolve: leadingTo(...many) }).resolve("https://a.example/");
    expect(target.addresses).toHaveLength(8);
    expect(await refusalOf("https://a.example/", { found: [...many, "127.0.0.1"] })).toEqual(forbiddenName);
  });

  test("that lead nowhere are unresolved", async () => {
    expect(await refusalOf("https://hooks.example.com/", { found: [] })).toEqual({ fault: "unresolved", final: false });
    const silent = new SsrfGuard({ allow: [], resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    await expect(silent.resolve("https://hooks.example.com/")).rejects.toMatchObject({
      fault: "unresolved",
      final: false,
    });
  });

  test("are asked for five seconds at most", async () => {
    const silent = new SsrfGuard({ allow: [], resolve: () => new Promise(() => {}) });
    const began = performance.now();
    const refusal = await inTime(
      6_500,
      silent.resolve("https://hooks.example.com/").catch((error) => error),
    );
    expect(refusal).toMatchObject({ fault: "unresolved", final: false });
    expect(performance.now() - began).toBeGreaterThan(4_900);
  });

  test("are found at once while the name servers of others are silent, and files are read meanwhile", async () => {
    const { stdout, stderr } = Bun.spawnSync([
      process.execPath,
      `${import.meta.dir}/../../../test/webhooks/silent-names.ts`,
    ]);
    expect(stderr.toString()).toBe("");
    expect(stdout.toString()).toBe("127.0.0.1\n");
  }, 180_000);

  test("localhost is forbidden by what it leads to, and allowed by it", async () => {
    const refused = await new SsrfGuard({ allow: [] }).resolve("https://localhost/").catch((error) => error);
    expect(refused).toMatchObject({ fault: "forbidden_address", final: false });
    const target = await new SsrfGuard({ allow: ["127.0.0.0/8", "::1"] }).resolve("http://localhost:8080/");
    expect(target.addresses.length).toBeGreaterThan(0);
    for (const { address } of target.addresses) expect(["127.0.0.1", "::1"]).toContain(address);
    const dotted = await new SsrfGuard({ allow: [] }).resolve("https://localhost./").catch((error) => error);
    expect(dotted).toBeInstanceOf(AddressRefused);
  });
});

describe("a refusal names the address and the range that would allow it", () => {
  const messageOf = async (url: string, found: string[], allow: string[] = []) => {
    const addresses = new SsrfGuard({ allow, resolve: leadingTo(...found) });
    return (await addresses.resolve(url).catch((error) => error)).message;
  };

  test.each([
    ["https://hooks.example.com/", ["10.11.12.13"], "hooks.example.com leads to 10.11.12.13, which is not a public"],
    [
      "https://hooks.example.com/",
      [publicFour, "fd00::1"],
      "hooks.example.com leads to fd00::1, which is not a public",
    ],
    ["https://10.11.12.13/", [], "10.11.12.13 is not a public"],
    ["https://[fd00::1]/", [], "fd00::1 is not a public"],
  ])("of %p that leads to %p", async (url, found, beginning) => {
    const range = beginning.includes("fd00") ? "fd00::1/128" : "10.11.12.13/32";
    const message = await messageOf(url, found);
    expect(message).toBe(
      `${beginning} address; --webhook-allow ${range}, for the server and for commands, would allow it`,
    );
    expect(await messageOf(url, found, [range])).toBeUndefined();
  });

  test("of http too", async () => {
    const allow = ["192.168.0.0/16"];
    expect(await messageOf("http://10.1.2.3/", [])).toBe(
      "the address must begin with https://; --webhook-allow with 10.1.2.3/32 would allow http there",
    );
    expect(await messageOf("http://hooks.example.com/", [])).toBe(
      "the address must begin with https://; --webhook-allow with the range that its name leads to would allow http there",
    );
    expect(await messageOf("http://hooks.example.com/", [publicFour], allow)).toBe(
      `the address must begin with https://, as hooks.example.com leads to ${publicFour}, which is public; --webhook-allow ${publicFour}/32, for the server and for commands, would allow http there`,
    );
  });
});

describe("what is allowed", () => {
  const allow = ["10.0.0.0/8", "192.168.1.7", "fd00::/8"];

  test.each(["http://10.1.2.3/", "https://10.1.2.3/", "http://192.168.1.7:8080/", "http://[fd00::1]/"])(
    "%p is within",
    async (url) => {
      expect(await refusalOf(url, { allow })).toBeUndefined();
    },
  );

  test.each(["http://192.168.1.8/", "https://127.0.0.1/", "http://[fc00::1]/", "http://[::ffff:10.1.2.3]/"])(
    "%p is without",
    async (url) => {
      expect(await refusalOf(url, { allow })).toEqual(forbiddenLiteral);
    },
  );

  test("http leads to what is allowed only", async () => {
    expect(await refusalOf(`http://${publicFour}/`, { allow })).toEqual(forbiddenLiteral);
    expect(await refusalOf("http://inside.example/", { allow, found: ["10.1.1.1"] })).toBeUndefined();
    expect(await refusalOf("http://inside.example/", { allow, found: ["10.1.1.1", publicFour] })).toEqual(
      forbiddenName,
    );
    expect(await refusalOf("https://inside.example/", { allow, found: ["10.1.1.1", publicFour] })).toBeUndefined();
  });

  test.each(["10.0.0.1", "10.0.0.0/8", "0.0.0.0/0", "::1", "fd00::/8", "::/0", "10.1.2.3/32"])("may be %p", (text) => {
    expect(requireAllow(text)).toBe(text);
    expect(new SsrfGuard({ allow: [text] })).toBeDefined();
  });

  test.each(["", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.1", "0x7f.1", "::/129", "fe80::1%eth0", "host", "*"])(
    "may not be %p",
    (text) => {
      expect(() => requireAllow(text)).toThrow("must be an address or a range such as 10.0.0.0/8");
    },
  );
});
