/*
 * Bounds what payments cost that pass their simulation and fail on the chain: gas on EVM networks, lamports on Solana.
 */

/** Limits of the cost within an hour. */
export interface RevertLimits {
  readonly perPayer: bigint
  /**
   * Of all payers that nothing was settled for lately; apart for contracts and for keys. Half of it may be used at once,
   * and the other half refills evenly over the hour.
   */
  readonly ofStrangers: bigint
}

/** A transaction that is about to be sent. */
export interface Risk {
  /** The authorization, or the signed message. */
  readonly key: string
  readonly payer: string
  /** What it costs if it fails. */
  readonly cost: bigint
  /** Whether code of the payer decides about the signature: it may decide otherwise than in the simulation. */
  readonly byContract: boolean
}

export type RevertRefusal = "payer_reverts_above_limit" | "reverts_above_limit"

interface Entry extends Risk {
  readonly expiresAtMillis: number
}

const windowMillis = 3_600_000
/** Longer than a settlement is looked after. Its outcome is noted before. */
const openMillis = 600_000
const settledMillis = 86_400_000
const maxPayers = 10_000

/** Removes the first entries, up to one that hasn't expired. */
const expire = (entries: Map<string, { readonly expiresAtMillis: number }>, nowMillis: number): void => {
  for (const [name, { expiresAtMillis }] of entries) {
    if (expiresAtMillis > nowMillis) break
    entries.delete(name)
  }
}

/** A transaction that was mined, and moved nothing for an authorization. */
interface FailedTransaction {
  readonly hash: string
  /** When it was signed. It counts for an hour from then on, however late or often it is looked at. */
  readonly recordedAtMillis: number
}

interface Cost {
  readonly cost: bigint
  readonly atMillis: number
}

/** What is left of costs that drain evenly, so much in an hour. Costs of the last hour suffice. Pure. */
export const undrained = (costs: ReadonlyArray<Cost>, perHour: bigint, nowMillis: number): bigint => {
  const drain = (level: bigint, millis: number): bigint => {
    const left = level - (perHour * BigInt(Math.max(0, millis))) / BigInt(windowMillis)
    return left > 0n ? left : 0n
  }
  let level = 0n
  let lastMillis = 0
  for (const { atMillis, cost } of costs.toSorted((left, right) => left.atMillis - right.atMillis)) {
    level = drain(level, atMillis - lastMillis) + cost
    lastMillis = atMillis
  }
  return drain(level, nowMillis - lastMillis)
}

const sumOf = (risks: ReadonlyArray<Risk>): bigint => risks.reduce((sum, { cost }) => sum + cost, 0n)

/** Counts the cost of failures, in this process. What a contract has in flight counts as if it failed. */
export class RevertBudget {
  private readonly limits: RevertLimits
  /** By transaction and authorization. */
  private readonly reverted = new Map<string, Entry>()
  /** By authorization, oldest first. */
  private readonly open = new Map<string, Entry>()
  /** By payer, least recent first. */
  private readonly settled = new Map<string, { readonly expiresAtMillis: number }>()

  constructor(limits: RevertLimits) {
    this.limits = limits
  }

  /** Why a transaction would risk too much; `undefined` if it doesn't. */
  refusal(wanted: Risk, nowMillis: number): RevertRefusal | undefined {
    expire(this.open, nowMillis)
    for (const [name, { expiresAtMillis }] of this.reverted)
      if (expiresAtMillis <= nowMillis) this.reverted.delete(name)
    const reverted = [...this.reverted.values()]
    const open = [...this.open.values()].filter(({ byContract, key }) => byContract && key !== wanted.key)
    // The first one is bounded by the limit of one settlement.
    const exceeds = (counted: bigint, limit: bigint) => counted > 0n && counted + wanted.cost > limit
    const ofPayer = sumOf([...reverted, ...open].filter(({ payer }) => payer === wanted.payer))
    if (exceeds(ofPayer, this.limits.perPayer)) return "payer_reverts_above_limit"
    if (this.hasSettled(wanted.payer, nowMillis)) return undefined
    const ofKind = ({ byContract }: Risk) => byContract === wanted.byContract
    const half = this.limits.ofStrangers / 2n
    const failures = reverted
      .filter(ofKind)
      .map(({ cost, expiresAtMillis }) => ({ cost, atMillis: expiresAtMillis - windowMillis }))
    const counted = undrained(failures, half, nowMillis) + sumOf(open.filter(ofKind))
    // Payers without a failure keep a half for themselves.
    return exceeds(counted, ofPayer > 0n ? half / 2n : half) ? "reverts_above_limit" : undefined
  }

  /** Whether a payment of the payer was settled within a day. */
  hasSettled(payer: string, nowMillis: number): boolean {
    expire(this.settled, nowMillis)
    return this.settled.has(payer)
  }

  /** Counts a transaction until its outcome is noted. */
  begin(risked: Risk, nowMillis: number): void {
    this.open.delete(risked.key)
    this.open.set(risked.key, { ...risked, expiresAtMillis: nowMillis + openMillis })
  }

  /** Nothing was sent, or another transaction used the nonce. */
  end(key: string): void {
    this.open.delete(key)
  }

  noteSettled({ key, payer }: Pick<Risk, "key" | "payer">, nowMillis: number): void {
    this.open.delete(key)
    this.settled.delete(payer)
    this.settled.set(payer, { expiresAtMillis: nowMillis + settledMillis })
    const [first] = this.settled.keys()
    if (this.settled.size > maxPayers && first !== undefined) this.settled.delete(first)
  }

  /** Counts a failed transaction once. `cost`: what it did cost. */
  noteReverted({ hash, recordedAtMillis }: FailedTransaction, used: Omit<Risk, "byContract">): void {
    const byContract = this.open.get(used.key)?.byContract ?? false
    this.open.delete(used.key)
    const name = `${hash}:${used.key}`
    if (this.reverted.has(name)) return
    this.reverted.set(name, { ...used, byContract, expiresAtMillis: recordedAtMillis + windowMillis })
  }
}
