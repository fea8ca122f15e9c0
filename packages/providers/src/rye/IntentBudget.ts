/*
 * Rye counts the checkout intents of an account, and each unpaid quote creates one. Without a budget, one caller
 * could use up all of them for free.
 */

const dayMillis = 86_400_000

/** The share of the reserve that one buyer can take. */
const buyersShare = 5

export interface IntentBudgetSettings {
  /** Intents in any 24 hours. */
  readonly perDay: number
  /** The part of them that only buyers with an earlier order can take. */
  readonly forBuyers: number
}

interface Taken {
  readonly atMillis: number
  /** The buyer who took it from the reserve; `undefined`: it is not of the reserve. */
  readonly reservedBy: string | undefined
}

/**
 * The intents of the last 24 hours, in this process's memory.
 *
 * Buyers take from the common part first, then from the reserve: each up to a fifth of it, rounded up.
 */
export class IntentBudget {
  /** Oldest first. */
  private readonly taken: Array<Taken> = []
  private readonly settings: IntentBudgetSettings

  constructor(settings: IntentBudgetSettings) {
    this.settings = settings
  }

  /**
   * Takes an intent. If none is left, returns the milliseconds until there may be one.
   *
   * @param buyer a buyer with an earlier order; `undefined` for anyone else
   */
  take(buyer: string | undefined, nowMillis: number): number | undefined {
    while (this.taken[0] !== undefined && this.taken[0].atMillis + dayMillis <= nowMillis) this.taken.shift()
    const { forBuyers, perDay } = this.settings
    const reserved = this.taken.filter(({ reservedBy }) => reservedBy !== undefined)
    const common = this.taken.filter(({ reservedBy }) => reservedBy === undefined)
    if (common.length < perDay - forBuyers) {
      this.taken.push({ atMillis: nowMillis, reservedBy: undefined })
      return undefined
    }
    const own = reserved.filter(({ reservedBy }) => reservedBy === buyer)
    const ownLimit = Math.ceil(forBuyers / buyersShare)
    if (buyer !== undefined && reserved.length < forBuyers && own.length < ownLimit) {
      this.taken.push({ atMillis: nowMillis, reservedBy: buyer })
      return undefined
    }
    const next = common[0] ?? reserved[0]
    return Math.max(1, (next?.atMillis ?? nowMillis) + dayMillis - nowMillis)
  }

  /** Gives back the intent that was last taken at this time: Rye did not create it. */
  giveBack(buyer: string | undefined, atMillis: number): void {
    const at = this.taken.findLastIndex(
      (each) => each.atMillis === atMillis && (each.reservedBy === undefined || each.reservedBy === buyer)
    )
    if (at !== -1) this.taken.splice(at, 1)
  }
}
