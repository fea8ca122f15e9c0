const spanMillis = 60_000
const maxClients = 10_000

interface Span {
  count: number
  readonly untilMillis: number
}

/** Whom a budget counts as one: an IPv4 address, or the /64 that one subscriber of IPv6 has. */
export const clientOf = (address: string): string => {
  const plain = address
    .trim()
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

/**
 * How many quotes unpaid callers may have made upstream in a minute, each client and all together. Who is
 * over the budget is told in how many seconds to come again. Bounded; of one process.
 */
export class QuoteBudget {
  private readonly clients = new Map<string, Span>()
  private all: Span = { count: 0, untilMillis: 0 }
  private readonly perClient: number
  private readonly inAll: number

  constructor(budget: { readonly perClient: number; readonly inAll: number }) {
    this.perClient = budget.perClient
    this.inAll = budget.inAll
  }

  /** Takes one; else answers how many seconds are left until there is room. */
  take(clientAddress: string | undefined, nowMillis: number): number | undefined {
    if (this.all.untilMillis <= nowMillis) this.all = { count: 0, untilMillis: nowMillis + spanMillis }
    const client = clientAddress === undefined ? undefined : this.spanOf(clientOf(clientAddress), nowMillis)
    const full =
      client !== undefined && client.count >= this.perClient
        ? client
        : this.all.count >= this.inAll
          ? this.all
          : undefined
    if (full !== undefined) return Math.max(1, Math.ceil((full.untilMillis - nowMillis) / 1000))
    if (client !== undefined) client.count++
    this.all.count++
    return undefined
  }

  private spanOf(client: string, nowMillis: number): Span {
    const known = this.clients.get(client)
    if (known !== undefined && known.untilMillis > nowMillis) return known
    this.clients.delete(client)
    if (this.clients.size >= maxClients) {
      const [oldest] = this.clients.keys()
      if (oldest !== undefined) this.clients.delete(oldest)
    }
    const span = { count: 0, untilMillis: nowMillis + spanMillis }
    this.clients.set(client, span)
    return span
  }
}
