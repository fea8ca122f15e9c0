import { clientOf, groupOf } from "./ClientAddress.ts"
import { type Span, SpanCounts } from "./SpanCounts.ts"

const spanMillis = 60_000
/** Clients, and groups of clients, counted at a time: more than the default total of a minute. */
const limits = { maxKeys: 10_000, spanMillis }
/** A /48 of IPv6 is one site with 65,536 client networks: it gets the budget of four clients. */
const clientsPerGroup = 4
/** A group counts as new until it has had this many quotes in a minute. */
const newcomerQuotes = 3

const keyOf = (clientAddress: string | undefined): string =>
  clientAddress === undefined ? "unknown" : clientOf(clientAddress)

/**
 * Limits the quotes per minute for unpaid callers: per client, per /48 of IPv6, and in total.
 *
 * Half of the total is reserved for newcomers: the first 3 quotes in a minute of an IPv4 address or a /48 are
 * allowed until the total is used up, further ones only until half of it is. So a few addresses can't lock out new
 * buyers. Callers without a known address count as one client. Bounded; counts one process.
 */
export class ClientBudget {
  private readonly clients = new SpanCounts(limits)
  private readonly groups = new SpanCounts(limits)
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

  /** Takes one quote; if the budget is used up, returns the seconds until a retry can succeed. */
  take(clientAddress: string | undefined, nowMillis: number): number | undefined {
    const waitSeconds = this.waitSeconds(clientAddress, nowMillis)
    if (waitSeconds !== undefined) return waitSeconds
    const client = keyOf(clientAddress)
    this.clients.add(client, nowMillis)
    this.groups.add(groupOf(client), nowMillis)
    this.all = { ...this.all, count: this.all.count + 1 }
    return undefined
  }

  /** Gives a quote back that was taken. */
  giveBack(clientAddress: string | undefined, nowMillis: number): void {
    const client = keyOf(clientAddress)
    this.clients.remove(client, nowMillis)
    this.groups.remove(groupOf(client), nowMillis)
    if (this.all.untilMillis > nowMillis && this.all.count > 0)
      this.all = { ...this.all, count: this.all.count - 1 }
  }

  /** The seconds until a quote can be taken; `undefined`: one can be taken now. */
  waitSeconds(clientAddress: string | undefined, nowMillis: number): number | undefined {
    if (this.all.untilMillis <= nowMillis) this.all = { count: 0, untilMillis: nowMillis + spanMillis }
    const client = keyOf(clientAddress)
    const clientSpan = this.clients.find(client, nowMillis)
    const groupSpan = this.groups.find(groupOf(client), nowMillis)
    const isNewcomer = groupSpan === undefined || groupSpan.count < newcomerQuotes
    const full = this.full(clientSpan, groupSpan, isNewcomer)
    return full === undefined ? undefined : Math.max(1, Math.ceil((full.untilMillis - nowMillis) / 1000))
  }

  /** The span of the limit that is reached. */
  private full(client: Span | undefined, group: Span | undefined, isNewcomer: boolean): Span | undefined {
    if (client !== undefined && client.count >= this.perClient) return client
    if (group !== undefined && group.count >= this.perClient * clientsPerGroup) return group
    const room = isNewcomer ? this.inAll : Math.ceil(this.inAll / 2)
    return this.all.count >= room ? this.all : undefined
  }
}
