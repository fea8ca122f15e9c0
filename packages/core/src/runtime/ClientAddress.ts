/** The client that an address counts as: an IPv4 address, or the /64 of an IPv6 subscriber. */
export const clientOf = (given: string): string => {
  // Some proxies append the port, which each connection has another of.
  const address = given
    .trim()
    .replace(/^(\d+(?:\.\d+){3}|\[[^\]]*\]):\d+$/, "$1")
    .replace(/^\[(.*)\]$/, "$1")
  if (/^[\d.]+$/.test(address)) return address
  const plain = address
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, "")
    .replace(/%.*$/, "")
  if (!plain.includes(":")) return plain
  const [head = "", tail] = plain.split("::")
  const before = head === "" ? [] : head.split(":")
  const after = tail === undefined || tail === "" ? [] : tail.split(":")
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  return [...before, ...Array.from({ length: zeros }, () => "0"), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")
}

/** The group of a client: the /48 of a /64, or the IPv4 address itself. */
export const groupOf = (client: string): string => {
  const end = client.lastIndexOf(":")
  return end === -1 ? client : `${client.slice(0, end)}::/48`
}
