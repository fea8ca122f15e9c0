/*
 * Time on the chain. Slots pass with the clock, 400 ms each as on the public networks, or only when they are told to.
 */

/** A block can be named by transactions of the next 150 blocks. */
export const blockhashLifetime = 150n

/** A block of the public networks is final after this many slots. */
export const usualFinalitySlots = 32

/** Block numbers lag behind slots, since not every slot has a block: the two must not be confused. */
export const slotsWithoutBlock = 1_000n

export interface Slots {
  /** The slot at present. */
  readonly now: () => bigint
  /** Lets this many slots pass at once. */
  readonly advance: (slots: bigint) => void
  /** Time of a slot's block by the chain, in seconds since the epoch. */
  readonly secondsAt: (slot: bigint) => number
}

const firstSlot = 5_000n
const usualSlotMillis = 400

/** Counts slots of `slotMillis`; 0 for none that pass by themselves. */
export const makeSlots = (slotMillis: number): Slots => {
  const startedAt = performance.now()
  const startedAtMillis = Date.now()
  const chainMillis = slotMillis === 0 ? usualSlotMillis : slotMillis
  let skipped = 0n
  return {
    now: () => {
      const passed = slotMillis === 0 ? 0 : Math.floor((performance.now() - startedAt) / slotMillis)
      return firstSlot + skipped + BigInt(passed)
    },
    advance: (slots) => {
      skipped += slots
    },
    secondsAt: (slot) => Math.floor((startedAtMillis + Number(slot - firstSlot) * chainMillis) / 1000)
  }
}
