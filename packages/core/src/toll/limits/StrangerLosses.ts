import { BoundedMap } from "../../runtime/BoundedMap.ts"
import { clientOf, groupOf } from "../../runtime/ClientAddress.ts"
import { LossBudget } from "./LossBudget.ts"

const hourMillis = 3_600_000
const maxKeys = 10_000

/** Parts of the hourly budget: for one payer, for one client address, and below which both count as newcomers. */
const parts = { payer: 10n, client: 4n, newcomer: 40n }
/**
 * Calls that fit into a share, however dear: an honest caller may be refused for a wrong request, or two. The budget of
 * all still counts.
 */
const leastCalls = 3n

/** Work of one payer or client that is in progress or lost, within an hour of the first. */
interface Share {
  atomic: bigint
  readonly untilMillis: number
}

/** What a call has taken from the budget, until it is given back. */
export interface TakenLoss {
  readonly ofPayer: Share
  /** `undefined`: the client's address is unknown. */
  readonly ofClient: Share | undefined
}

interface LossyCall {
  readonly atomic: bigint
  readonly payer: string
  /** Whether the payer is known to have signed. Otherwise the payment may be a forgery in this payer's name. */
  readonly isProven: boolean
  readonly clientAddress: string | undefined
}

/**
 * Shares the hourly budget for losses among payers who have not paid as much: one payer gets at most a tenth, one
 * client address (IPv4, or a /48 of IPv6) a quarter, or three calls of the price where that is more.
 *
 * Half of the budget is reserved for newcomers: payers and clients with less than a fortieth of it in progress or lost
 * in this hour. So work that fails for one caller can't lock out the others. Bounded; counts one process.
 */
export class StrangerLosses {
  private readonly all: LossBudget
  private readonly payers: Shares = new BoundedMap(maxKeys)
  /** By the payer that an unproven payment names. */
  private readonly namedPayers: Shares = new BoundedMap(maxKeys)
  private readonly clients: Shares = new BoundedMap(maxKeys)
  /** The largest shares of one payer and one client. */
  private readonly most: { readonly payer: bigint; readonly client: bigint }
  /** Amount below which a payer and a client are newcomers. */
  private readonly little: bigint
  private readonly half: bigint

  constructor(budget: { readonly perHourAtomic: bigint }) {
    const perHour = budget.perHourAtomic
    this.most = { payer: perHour / parts.payer, client: perHour / parts.client }
    this.little = (perHour + parts.newcomer - 1n) / parts.newcomer
    this.half = perHour / 2n
    this.all = new LossBudget(budget)
  }

  /** Takes the amount that a call may lose; `undefined`: a share or the budget is used up for now. */
  take(call: LossyCall, nowMillis: number): TakenLoss | undefined {
    const { atomic, payer } = call
    const client = nameOf(call)
    const payers = this.payersOf(call)
    const payerAtomic = amountOf(payers, payer, nowMillis)
    const clientAtomic = amountOf(this.clients, client, nowMillis)
    const least = atomic * leastCalls
    if (payerAtomic + atomic > largerOf(this.most.payer, least)) return undefined
    if (clientAtomic + atomic > largerOf(this.most.client, least)) return undefined
    const isNewcomer = payerAtomic < this.little && clientAtomic < this.little
    if (!this.all.take(atomic, nowMillis, isNewcomer ? 0n : this.half)) return undefined
    return {
      ofPayer: add(payers, payer, atomic, nowMillis),
      ofClient: client === undefined ? undefined : add(this.clients, client, atomic, nowMillis)
    }
  }

  /** The largest amount that one payer may lose in an hour, beside a call that is more expensive. */
  get mostOfPayer(): bigint {
    return this.most.payer
  }

  /** The share of the budget that is used. */
  usedAt(nowMillis: number): number {
    return this.all.usedAt(nowMillis)
  }

  private payersOf({ isProven }: LossyCall): Shares {
    return isProven ? this.payers : this.namedPayers
  }

  /** Gives back an amount that was taken: the call settled, or did no work. */
  giveBack({ ofClient, ofPayer }: TakenLoss, atomic: bigint): void {
    this.all.giveBack(atomic)
    ofPayer.atomic -= atomic
    if (ofClient !== undefined) ofClient.atomic -= atomic
  }
}

const largerOf = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** The client of a call; `undefined`: its address is unknown. */
const nameOf = ({ clientAddress }: LossyCall): string | undefined =>
  clientAddress === undefined ? undefined : groupOf(clientOf(clientAddress))

/** Shares by payer or client; never one for an unknown client. */
type Shares = BoundedMap<string | undefined, Share>

const amountOf = (shares: Shares, key: string | undefined, nowMillis: number): bigint => {
  const share = shares.get(key)
  return share !== undefined && share.untilMillis > nowMillis ? share.atomic : 0n
}

const add = (shares: Shares, key: string, atomic: bigint, nowMillis: number): Share => {
  const known = shares.get(key)
  if (known !== undefined && known.untilMillis > nowMillis) {
    known.atomic += atomic
    return known
  }
  const share: Share = { atomic, untilMillis: nowMillis + hourMillis }
  shares.set(key, share)
  return share
}
