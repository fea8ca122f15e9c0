/*
 * Decides from the text of a URL alone whether its host is on the public Internet; nothing is looked up. The till
 * fetches no URL that a caller sends. But a provider that receives one may, and must not be led into a private network.
 * Only a resolver can detect a public name with a private address.
 */

/** Blocks of IPv4 that are not global: https://www.iana.org/assignments/iana-ipv4-special-registry */
const specialIpv4: ReadonlyArray<readonly [block: string, prefix: number]> = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, metadata services
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // IETF protocols
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays, deprecated
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4] // reserved, broadcast
]

/**
 * Blocks within 2000::/3 (global unicast) that are not global, or that embed other addresses:
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const specialIpv6: ReadonlyArray<readonly [groups: ReadonlyArray<number>, prefix: number]> = [
  [[0x2001, 0], 23], // IETF protocols: Teredo, benchmarks, ORCHID
  [[0x2001, 0xdb8], 32], // documentation
  [[0x2002], 16], // 6to4, which carries an IPv4 address
  [[0x3fff], 20] // documentation
]

/**
 * Top-level names that don't exist in the public DNS: RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and those that
 * private networks use (RFC 6762, appendix G). Allows `example` and `test`, which are reserved for documents and tests
 * and never resolve, since sandboxes use them.
 */
const privateNames: ReadonlySet<string> = new Set([
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "arpa",
  "invalid",
  "onion",
  "alt",
  "svc"
])

/** Domains that resolve to any chosen address, or to this machine. */
const resolvers: ReadonlyArray<string> = ["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me"]

/** An IPv4 address as a whole number. The URL parser has normalized all other notations. */
const ipv4Of = (host: string): number | undefined =>
  /^\d+(?:\.\d+){3}$/.test(host)
    ? host.split(".").reduce((whole, part) => whole * 256 + Number(part), 0)
    : undefined

const isIn = (address: number, [block, prefix]: readonly [string, number]): boolean => {
  const size = 2 ** (32 - prefix)
  return Math.floor(address / size) === Math.floor(ipv4Of(block)! / size)
}

/** The eight groups of an IPv6 address that the URL parser has normalized: compressed, in hexadecimal. */
const ipv6Groups = (address: string): ReadonlyArray<number> => {
  const [head = "", tail] = address.split("::")
  const read = (side: string) =>
    side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))
  const [before, after] = [read(head), tail === undefined ? [] : read(tail)]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

const startsWith = (
  address: ReadonlyArray<number>,
  [groups, prefix]: readonly [ReadonlyArray<number>, number]
): boolean =>
  Array.from({ length: Math.ceil(prefix / 16) }, (_, index) => index).every((index) => {
    const shift = 16 - Math.min(16, prefix - index * 16)
    return address[index]! >> shift === (groups[index] ?? 0) >> shift
  })

/** Mapped, compatible, NAT64, unique local, link-local and multicast addresses all lie outside 2000::/3. */
const isPublicIpv6 = (address: string): boolean => {
  const groups = ipv6Groups(address)
  return startsWith(groups, [[0x2000], 3]) && !specialIpv6.some((block) => startsWith(groups, block))
}

const isPublicName = (name: string): boolean => {
  const labels = name.split(".")
  return (
    labels.length > 1 &&
    labels.every((label) => label !== "") &&
    !privateNames.has(labels.at(-1)!) &&
    !resolvers.some((resolver) => name === resolver || name.endsWith(`.${resolver}`))
  )
}

/**
 * Whether a URL's host is public. False for private, loopback, link-local, shared, multicast, documentation and
 * reserved addresses in any notation, for IPv6 addresses that embed an IPv4 one, for names of one label, and for names
 * that only private networks resolve. Examples: `https://2130706433/` (127.0.0.1) and `https://[::1]/`. Any port is
 * allowed, since shops may use any.
 */
export const hasPublicHost = ({ hostname }: URL): boolean => {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1))
  // A full name may end with the root's dot.
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname
  const address = ipv4Of(name)
  return address === undefined ? isPublicName(name) : !specialIpv4.some((block) => isIn(address, block))
}
