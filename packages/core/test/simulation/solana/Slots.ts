/*
 * Slots of a Solana chain. A leader has each slot to itself; some produce no block, and now and then the chain stands
 * still. Heights count blocks: the life of a blockhash is counted in them.
 */

/** One slot of this many has no block. */
const skipsOneOf = 20
/** Slots before the run starts. */
const slotsBefore = 40_000

/** A time in which no leader produces a block. */
export interface Halt {
  readonly fromMillis: number
  readonly untilMillis: number
}

export class Slots {
  readonly slotMillis: number
  private readonly genesisMillis: number
  /** Slots without blocks: from the first to before the second. */
  private readonly halts: ReadonlyArray<readonly [first: number, end: number]>

  constructor(startMillis: number, slotMillis: number, halts: ReadonlyArray<Halt>) {
    this.slotMillis = slotMillis
    this.genesisMillis = startMillis - slotsBefore * slotMillis
    this.halts = halts.map(({ fromMillis, untilMillis }) => [
      this.slotAt(fromMillis),
      this.slotAt(untilMillis)
    ])
  }

  slotAt(millis: number): number {
    return Math.max(0, Math.floor((millis - this.genesisMillis) / this.slotMillis))
  }

  millisOf(slot: number): number {
    return this.genesisMillis + slot * this.slotMillis
  }

  /** Number of blocks up to a slot. */
  heightOf(slot: number): number {
    let height = regularHeight(slot)
    for (const [first, end] of this.halts)
      if (slot >= first) height -= regularHeight(Math.min(slot, end - 1)) - regularHeight(first - 1)
    return height
  }

  /** The slot of the block with a height. */
  slotOf(height: number): number {
    let low = height
    let high = height * 2 + this.halts.reduce((sum, [first, end]) => sum + end - first, 0)
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.heightOf(middle) >= height) high = middle
      else low = middle + 1
    }
    return low
  }

  /** The latest block at a slot: that slot itself, or an earlier one. */
  blockAt(slot: number): number {
    return this.slotOf(this.heightOf(slot))
  }

  /** The first block after a slot. */
  blockAfter(slot: number): number {
    return this.slotOf(this.heightOf(slot) + 1)
  }
}

/** Number of blocks up to a slot on a chain that never stands still. */
const regularHeight = (slot: number): number => slot - Math.floor(slot / skipsOneOf)
