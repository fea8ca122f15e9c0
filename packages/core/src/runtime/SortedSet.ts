/** A place in the order of times; `compare` orders those of one time. */
export interface Timed {
  readonly atMillis: number
}

/** Items of a part after which the next one begins, unless their times are the same. */
const partSize = 512

/** Compares two items or places: below 0 if the first comes first, 0 only if they are the same. */
export type Compare<Place> = (left: Place, right: Place) => number

/** Items of a span of time that no other part shares, sorted when they are read. */
interface Part<A> {
  readonly items: Array<A>
  isSorted: boolean
  firstMillis: number
  lastMillis: number
}

/**
 * A set of items in the order of their times. Appends an item that is later than most others without a comparison: the
 * items of a span are sorted when they are read. Deletes and seeks in logarithmic time.
 *
 * @example
 * const events = new SortedSet<{ readonly atMillis: number }>((left, right) => left.atMillis - right.atMillis)
 * events.add({ atMillis: 3 })
 * events.add({ atMillis: 1 })
 * Array.from(events.from({ atMillis: 2 })) // [{ atMillis: 3 }]
 */
export class SortedSet<A extends Place, Place extends Timed = A> {
  private readonly parts: Array<Part<A>> = []
  private readonly compare: Compare<Place>

  /** `compare` orders by time first. */
  constructor(compare: Compare<Place>) {
    this.compare = compare
  }

  /** Adds an item, or replaces the one that is the same. */
  add(item: A): void {
    const { parts } = this
    const { atMillis } = item
    let number = this.numberOf(atMillis)
    if (number < 0 && parts.length > 0 && parts[0]!.items.length < partSize) number = 0
    const part = parts[number]
    if (part === undefined || (part.items.length >= partSize && atMillis > part.lastMillis)) {
      const added = { items: [item], isSorted: true, firstMillis: atMillis, lastMillis: atMillis }
      if (number === parts.length - 1) parts.push(added)
      else parts.splice(number + 1, 0, added)
      return
    }
    part.items.push(item)
    part.isSorted = false
    if (atMillis > part.lastMillis) part.lastMillis = atMillis
    else if (atMillis < part.firstMillis) part.firstMillis = atMillis
  }

  delete(item: A): void {
    const number = this.sortedNumberOf(item.atMillis)
    const part = this.parts[number]
    if (part === undefined) return
    const index = this.indexIn(part, item)
    if (index === part.items.length || this.compare(part.items[index]!, item) !== 0) return
    part.items.splice(index, 1)
    if (part.items.length === 0) this.parts.splice(number, 1)
  }

  /** The items at or after a place, in their order. */
  *from(place: Place): Generator<A> {
    for (let number = Math.max(this.numberOf(place.atMillis), 0); number < this.parts.length; number++) {
      this.sort(number)
      const part = this.parts[number]!
      for (let index = this.indexIn(part, place); index < part.items.length; index++) yield part.items[index]!
    }
  }

  /** The items before a place, in reverse order. */
  *before(place: Place): Generator<A> {
    for (let number = this.numberOf(place.atMillis); number >= 0; number--) {
      number += this.sort(number)
      const part = this.parts[number]!
      for (let index = this.indexIn(part, place) - 1; index >= 0; index--) yield part.items[index]!
    }
  }

  /** The last part that begins at or before a time; -1 if none does. */
  private numberOf(atMillis: number): number {
    const { parts } = this
    let before = parts.length
    if (before === 0 || parts[before - 1]!.firstMillis <= atMillis) return before - 1
    let from = 0
    while (from < before) {
      const middle = (from + before) >> 1
      if (parts[middle]!.firstMillis <= atMillis) from = middle + 1
      else before = middle
    }
    return from - 1
  }

  /** The same, sorted. */
  private sortedNumberOf(atMillis: number): number {
    const number = this.numberOf(atMillis)
    return number >= 0 && this.sort(number) > 0 ? this.numberOf(atMillis) : number
  }

  /** Sorts a part and returns into how many further parts it was divided: items that came late can fill one. */
  private sort(number: number): number {
    const part = this.parts[number]!
    if (part.isSorted) return 0
    part.items.sort(this.compare)
    const items = part.items.filter((item, index) => {
      const next = part.items[index + 1]
      return next === undefined || this.compare(item, next) !== 0
    })
    const divided: Array<Part<A>> = []
    for (let start = 0; start < items.length;) {
      let end = Math.min(start + partSize, items.length)
      while (end < items.length && items[end]!.atMillis === items[end - 1]!.atMillis) end++
      divided.push({
        items: items.slice(start, end),
        isSorted: true,
        firstMillis: items[start]!.atMillis,
        lastMillis: items[end - 1]!.atMillis
      })
      start = end
    }
    this.parts.splice(number, 1, ...divided)
    return divided.length - 1
  }

  /** The index of a part's first item at or after a place. */
  private indexIn({ items }: Part<A>, place: Place): number {
    let from = 0
    let before = items.length
    while (from < before) {
      const middle = (from + before) >> 1
      if (this.compare(items[middle]!, place) < 0) from = middle + 1
      else before = middle
    }
    return from
  }
}
