const spanMillis = 60_000
/** Clients, and groups of clients, that are counted at a time: more than the total of a minute by default. */
const maxKeys = 10_000
/** A /48 of IPv6 is one site with 65,536 client networks: it gets as much as so many clients. */
const clientsPerGroup = 4
/** Quotes of a minute for which a group counts as new. */
const newcomerQuotes = 3

interface Span {
  count: number
  readonly untilMillis: number
}

/** The client that a budget counts an address as: an IPv4 address, or the /64 of one IPv6 subscriber. */
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

/** The group of a client: the /48 of a /64, an IPv4 address itself. */
export const groupOf = (client: string): string => {
  const end = client.lastIndexOf(":")
  return end === -1 ? client : `${client.slice(0, end)}::/48`
}

/** Counts by key in spans of a minute. Bounded: the oldest key is evicted. */
class Spans {
  private readonly byKey = new Map<string, Span>()

  /** The span of a key that still runs. */
  find(key: string, nowMillis: number): Span | undefined {
    const span = this.byKey.get(key)
    return span !== undefined && span.untilMillis > nowMillis ? span : undefined
  }

  count(key: string, nowMillis: number): void {
    const running = this.find(key, nowMillis)
    if (running !== undefined) {
      running.count++
      return
    }
    this.byKey.delete(key)
    if (this.byKey.size >= maxKeys) {
      const [oldest] = this.byKey.keys()
      if (oldest !== undefined) this.byKey.delete(oldest)
    }
    this.byKey.set(key, { count: 1, untilMillis: nowMillis + spanMillis })
  }

  get size(): number {
    return this.byKey.size
  }
}

/**
 * Limits the quotes that unpaid callers can request from upstream in a minute: per client, per /48 of IPv6, and
 * in total.
 *
 * Half of the total is reserved for newcomers: the first 3 quotes in a minute of an IPv4 address or a /48 are
 * given until the total is used up, further ones only until half of it is. So a few addresses can't lock out new
 * buyers. Callers without a known address count as one client. Bounded; counts one process.
 */
export class QuoteBudget {
  private readonly clients = new Spans()
  private readonly groups = new Spans()
  private all: Span = { count: 0, untilMillis: 0 }
  private readonly perClient: number
  private readonly inAll: number

  constructor(budget: { readonly perClient: number; readonly inAll: number }) {
    this.perClient = budget.perClient
    this.inAll = budget.inAll
  }

  /** Clients and groups that are counted now. */
  get size(): number {
    return this.clients.size + this.groups.size
  }

  /** Takes one quote; where the budget is used up, returns the seconds until a retry can succeed. */
  take(clientAddress: string | undefined, nowMillis: number): number | undefined {
    if (this.all.untilMillis <= nowMillis) this.all = { count: 0, untilMillis: nowMillis + spanMillis }
    const client = clientAddress === undefined ? "unknown" : clientOf(clientAddress)
    const group = groupOf(client)
    const clientSpan = this.clients.find(client, nowMillis)
    const groupSpan = this.groups.find(group, nowMillis)
    const isNewcomer = groupSpan === undefined || groupSpan.count < newcomerQuotes
    const full = this.full(clientSpan, groupSpan, isNewcomer)
    if (full !== undefined) return Math.max(1, Math.ceil((full.untilMillis - nowMillis) / 1000))
    this.clients.count(client, nowMillis)
    this.groups.count(group, nowMillis)
    this.all.count++
    return undefined
  }

  /** The limit that leaves no room, as the span in which it counts. */
  private full(client: Span | undefined, group: Span | undefined, isNewcomer: boolean): Span | undefined {
    if (client !== undefined && client.count >= this.perClient) return client
    if (group !== undefined && group.count >= this.perClient * clientsPerGroup) return group
    const room = isNewcomer ? this.inAll : Math.ceil(this.inAll / 2)
    return this.all.count >= room ? this.all : undefined
  }
}
