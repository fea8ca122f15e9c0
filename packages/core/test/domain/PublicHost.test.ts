import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { isProductUrl, ProductUrl } from "../../src/shop/goods/ProductUrl.ts"
import { hasPublicHost } from "../../src/domain/PublicHost.ts"
import { property } from "./seeded.ts"

/** What is often written: the text is looked at, not the host that a client would connect to. */
const naive = (text: string): boolean =>
  text.startsWith("https://") &&
  !/^https:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|\[::1\])/i.test(
    text
  )

describe("private hosts that a look at the text lets through", () => {
  it.each([
    ["127.0.0.1 in decimal", "https://2130706433/"],
    ["127.0.0.1 in hexadecimal", "https://0x7f000001/"],
    ["127.0.0.1 in octal", "https://017700000001/"],
    ["127.0.0.1 with octal parts", "https://0177.0.0.1/"],
    ["127.0.0.1 with hexadecimal parts", "https://0x7f.0.0.0x1/"],
    ["127.0.0.1 in short", "https://127.1/"],
    ["127.0.0.1 shorter", "https://127.0.1/"],
    ["127.0.0.1 with a point behind it", "https://2130706433./"],
    ["0.0.0.0 in short", "https://0/"],
    ["127.0.0.1 in percent escapes", "https://%31%32%37.0.0.1/"],
    ["127.0.0.1 in full-width digits", "https://\uff11\uff12\uff17.0.0.1/"],
    ["127.0.0.1 with ideographic stops", "https://127\u30020\u30020\u30021/"],
    ["another loopback address", "https://127.8.8.8/"],
    ["behind credentials", "https://shop.example@127.0.0.1/"],
    ["behind a user name", "https://shop.example:443@localhost/"],
    ["behind more slashes", "https:////localhost/"],
    ["10.0.0.1 in decimal", "https://167772161/"],
    ["the metadata service in decimal", "https://2852039166/latest/meta-data/"],
    ["the metadata service in hexadecimal parts", "https://0xA9.0xFE.0xA9.0xFE/"],
    ["the metadata service by name", "https://metadata.google.internal/"],
    ["the metadata service in IPv6", "https://[fd00:ec2::254]/"],
    ["carrier-grade NAT, a cloud's metadata", "https://100.100.100.200/"],
    ["the last address of carrier-grade NAT", "https://100.127.255.255/"],
    ["benchmarks", "https://198.19.0.1/"],
    ["multicast", "https://224.0.0.1/"],
    ["reserved", "https://240.0.0.1/"],
    ["broadcast", "https://255.255.255.255/"],
    ["IPv6 loopback, written out", "https://[0:0:0:0:0:0:0:1]/"],
    ["IPv6 unspecified", "https://[::]/"],
    ["IPv4-mapped", "https://[::ffff:127.0.0.1]/"],
    ["IPv4-mapped in hexadecimal", "https://[::ffff:7f00:1]/"],
    ["IPv4-mapped and written out", "https://[0:0:0:0:0:ffff:0a00:0001]/"],
    ["IPv4-compatible", "https://[::127.0.0.1]/"],
    ["IPv4-translated", "https://[::ffff:0:10.0.0.1]/"],
    ["NAT64", "https://[64:ff9b::10.0.0.1]/"],
    ["NAT64 of a network's own", "https://[64:ff9b:1::10.0.0.1]/"],
    ["6to4", "https://[2002:7f00:1::]/"],
    ["Teredo", "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/"],
    ["unique local", "https://[fc00::1]/"],
    ["unique local, random", "https://[fd12:3456:789a::1]/"],
    ["link-local", "https://[fe80::1]/"],
    ["site-local", "https://[fec0::1]/"],
    ["IPv6 multicast", "https://[ff02::1]/"],
    ["IPv6 documentation", "https://[2001:db8::1]/"],
    ["a name of one label", "https://intranet/"],
    ["a name of one label and the root", "https://intranet./"],
    ["a name below localhost", "https://shop.localhost/"],
    ["in capitals, below localhost", "https://SHOP.LOCALHOST/"],
    ["below localhost, with the root", "https://shop.localhost./"],
    ["multicast DNS", "https://printer.local/"],
    ["a cluster's name", "https://kubernetes.default.svc/"],
    ["a cluster's full name", "https://kubernetes.default.svc.cluster.local/"],
    ["a router", "https://router.home.arpa/"],
    ["an office", "https://wiki.corp/"],
    ["a home", "https://nas.lan/"],
    ["a name that resolves to the address in it", "https://10-0-0-1.sslip.io/"],
    ["a name that resolves to this machine", "https://localtest.me/"],
    ["no name at all", "https://../"],
    ["an empty label", "https://shop..example/"]
  ])("%s", (_, text) => {
    expect(naive(text), "the naive check").toBe(true)
    expect(isProductUrl(text)).toBe(false)
  })
})

describe("public hosts", () => {
  it.each([
    "https://shop.example/products/tote",
    "https://shop.example./products/tote",
    "https://shop.example:8443/products/tote",
    "https://SHOP.example",
    "https://shop.test/",
    "https://www.amazon.com/dp/B0ABCDEFGH",
    "https://localhost.shop.example/",
    "https://10.0.0.1.shop.example/",
    "https://local.example/",
    "https://internal.shop.co.uk/",
    "https://my-store.myshopify.com/products/x?variant=1",
    "https://müller.example/produkte/tasche",
    "https://商店.example/products/袋",
    "https://xn--55qx5d.xn--fiqs8s/",
    "https://8.8.8.8/",
    "https://9.255.255.255/",
    "https://11.0.0.0/",
    "https://100.63.255.255/",
    "https://100.128.0.0/",
    "https://126.255.255.255/",
    "https://128.0.0.0/",
    "https://172.15.255.255/",
    "https://172.32.0.0/",
    "https://192.167.255.255/",
    "https://192.169.0.0/",
    "https://198.17.255.255/",
    "https://198.20.0.0/",
    "https://223.255.255.255/",
    "https://[2606:4700:4700::1111]/",
    "https://[2001:4860:4860::8888]/",
    "https://[2001:200::1]/",
    "https://[3ffe::1]/"
  ])("%s", (text) => {
    expect(isProductUrl(text)).toBe(true)
  })

  property("an IPv4 address is judged alike in every notation", 400, (rolled) => {
    const parts = Array.from({ length: 4 }, () => rolled.below(256))
    const whole = parts.reduce((sum, part) => sum * 256 + part, 0)
    const judged = [
      parts.join("."),
      `${parts.join(".")}.`,
      String(whole),
      `0x${whole.toString(16)}`,
      `0${whole.toString(8)}`,
      parts.map((part) => `0x${part.toString(16)}`).join("."),
      parts.map((part) => `0${part.toString(8)}`).join("."),
      `${parts[0]}.${parts[1]}.${parts[2]! * 256 + parts[3]!}`
    ].map((host) => hasPublicHost(new URL(`https://${host}/`)))
    expect(new Set(judged).size).toBe(1)
  })

  property("no IPv6 address that carries an IPv4 one is public", 300, (rolled) => {
    const ipv4 = Array.from({ length: 4 }, () => rolled.below(256)).join(".")
    for (const prefix of ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"]) {
      expect(hasPublicHost(new URL(`https://[${prefix}${ipv4}]/`)), `${prefix}${ipv4}`).toBe(false)
    }
  })

  property("every address of a private block is private", 600, (rolled) => {
    const any = () => rolled.below(256)
    const host = rolled.pick([
      () => `10.${any()}.${any()}.${any()}`,
      () => `127.${any()}.${any()}.${any()}`,
      () => `172.${16 + rolled.below(16)}.${any()}.${any()}`,
      () => `192.168.${any()}.${any()}`,
      () => `169.254.${any()}.${any()}`,
      () => `100.${64 + rolled.below(64)}.${any()}.${any()}`,
      () => `198.${18 + rolled.below(2)}.${any()}.${any()}`,
      () => `${224 + rolled.below(32)}.${any()}.${any()}.${any()}`,
      () => `0.${any()}.${any()}.${any()}`,
      () =>
        `[f${rolled.pick([..."cd"])}${rolled.text("0123456789abcdef", 2)}::${rolled.text("123456789abcdef", 4)}]`,
      () => `[fe${rolled.pick([..."89ab"])}0::${rolled.text("123456789abcdef", 4)}]`
    ])()
    expect(hasPublicHost(new URL(`https://${host}/`)), host).toBe(false)
  })
})

describe("ProductUrl", () => {
  const decode = Schema.decodeUnknownSync(ProductUrl)
  const messageOf = (text: string): string => {
    try {
      decode(text)
    } catch (error) {
      return (error as Error).message
    }
    return ""
  }

  it.each([
    ["https://SHOP.example/a b", "https://shop.example/a%20b"],
    ["https://shop.example\\@evil.example/p", "https://shop.example/@evil.example/p"],
    ["https:shop.example/p", "https://shop.example/p"],
    ["https://müller.example/p", "https://xn--mller-kva.example/p"],
    ["https://shop.example:443/p", "https://shop.example/p"],
    ["https://shop.example/a/../p", "https://shop.example/p"],
    ["https://@shop.example/p", "https://shop.example/p"],
    ["https://shop.example/p?variant=4001#size", "https://shop.example/p?variant=4001#size"]
  ])("writes %j as everybody reads it", (text, href) => {
    expect(decode(text)).toBe(href)
    expect(decode(href)).toBe(href)
  })

  it.each([
    ["http://shop.example/p", "must be an https URL"],
    ["ftp://shop.example/p", "must be an https URL"],
    ["javascript:alert(1)", "must be an https URL"],
    ["data:text/html,x", "must be an https URL"],
    ["file:///etc/passwd", "must be an https URL"],
    ["//shop.example/p", "must be an https URL of a product page"],
    ["lamp", "must be an https URL of a product page"],
    ["", "must be an https URL of a product page"],
    ["https://", "must be an https URL of a product page"],
    ["https://ada@shop.example/p", "must not contain a user name or password"],
    ["https://:word@shop.example/p", "must not contain a user name or password"],
    ["https://localhost/p", "must name a public host"],
    [
      "http://ada:word@localhost/p",
      "must be an https URL; must not contain a user name or password; must name a public host"
    ]
  ])("of %j is: %s", (text, message) => {
    expect(messageOf(text)).toBe(message)
  })

  it("is at most 2048 characters long", () => {
    const page = "https://shop.example/"
    expect(decode(page.padEnd(2048, "a"))).toHaveLength(2048)
    expect(messageOf(page.padEnd(2049, "a"))).toBe("must have at most 2048 characters")
  })
})
