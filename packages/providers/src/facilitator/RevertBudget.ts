/*
 * Bounds the gas that payments cost which pass their simulation and revert when they are mined.
 */

/** Limits of gas within an hour. */
export interface RevertLimits {
  readonly perPayer: bigint
  /** Of all payers that nothing was settled for lately; apart for contracts and for keys. */
  readonly ofStrangers: bigint
}

/** A transaction that is about to be sent. */
export interface RiskedGas {
  /** The authorization. */
  readonly key: string
  readonly payer: string
  readonly gas: bigint
  /** Whether code of the payer decides about the signature: it may decide otherwise than in the simulation. */
  readonly byContract: boolean
}

export type RevertRefusal = "payer_reverts_above_limit" | "reverts_above_limit"

interface Entry extends RiskedGas {
  readonly expiresAtMillis: number
}

const windowMillis = 3_600_000
/** Longer than a settlement is looked after. Its outcome is noted before. */
const openMillis = 600_000
const settledMillis = 86_400_000
const maxPayers = 10_000

const expire = (entries: Map<string, { readonly expiresAtMillis: number }>, nowMillis: number): void => {
  for (const [name, { expiresAtMillis }] of entries) {
    if (expiresAtMillis > nowMillis) break
    entries.delete(name)
  }
}

/** Counts reverted gas, in this process. What a contract has in flight counts as if it reverted. */
export class RevertBudget {
  private readonly limits: RevertLimits
  /** By transaction, oldest first. */
  private readonly reverted = new Map<string, Entry>()
  /** By authorization, oldest first. */
  private readonly open = new Map<string, Entry>()
  /** By payer, least recent first. */
  private readonly settled = new Map<string, { readonly expiresAtMillis: number }>()

  constructor(limits: RevertLimits) {
    this.limits = limits
  }

  /** Why a transaction would risk too much; `undefined` if it doesn't. */
  refusal(wanted: RiskedGas, nowMillis: number): RevertRefusal | undefined {
    for (const entries of [this.reverted, this.open, this.settled]) expire(entries, nowMillis)
    const risks = [...this.reverted.values(), ...this.open.values()].filter(
      ({ byContract, key }, index) => index < this.reverted.size || (byContract && key !== wanted.key)
    )
    const exceeds = (counted: ReadonlyArray<Entry>, limit: bigint): boolean => {
      const sum = counted.reduce((total, { gas }) => total + gas, 0n)
      // The first one is bounded by the gas limit of a settlement.
      return sum > 0n && sum + wanted.gas > limit
    }
    const ofPayer = risks.filter(({ payer }) => payer === wanted.payer)
    if (exceeds(ofPayer, this.limits.perPayer)) return "payer_reverts_above_limit"
    if (this.settled.has(wanted.payer)) return undefined
    const ofKind = risks.filter(({ byContract }) => byContract === wanted.byContract)
    return exceeds(ofKind, this.limits.ofStrangers) ? "reverts_above_limit" : undefined
  }

  /** Counts a transaction until its outcome is noted. */
  begin(risked: RiskedGas, nowMillis: number): void {
    this.open.delete(risked.key)
    this.open.set(risked.key, { ...risked, expiresAtMillis: nowMillis + openMillis })
  }

  /** Nothing was sent, or another transaction used the number. */
  end(key: string): void {
    this.open.delete(key)
  }

  noteSettled({ key, payer }: Pick<RiskedGas, "key" | "payer">, nowMillis: number): void {
    this.open.delete(key)
    this.settled.delete(payer)
    this.settled.set(payer, { expiresAtMillis: nowMillis + settledMillis })
    const [first] = this.settled.keys()
    if (this.settled.size > maxPayers && first !== undefined) this.settled.delete(first)
  }

  /** Counts a reverted transaction once. `gas`: what it used. */
  noteReverted(transaction: string, used: Omit<RiskedGas, "byContract">, nowMillis: number): void {
    const byContract = this.open.get(used.key)?.byContract ?? false
    this.open.delete(used.key)
    if (this.reverted.has(transaction)) return
    this.reverted.set(transaction, { ...used, byContract, expiresAtMillis: nowMillis + windowMillis })
  }
}
