/** Counts the insertions, deletions, replacements and swaps of neighbors that turn one text into the other. */
const editDistance = (left: string, right: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1]
      const isSwap =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      current.push(
        Math.min(
          last[column]! + 1,
          current[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwap ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
    beforeLast = last
    last = current
  }
  return last[right.length]!
}

/** Shorter names don't count as abbreviations: `on` doesn't stand for `onEvent`. */
const minPrefix = 4

const isPrefix = (given: string, name: string): boolean =>
  Math.min(given.length, name.length) >= minPrefix && (name.startsWith(given) || given.startsWith(name))

/**
 * Returns the known name that `given` most likely misspells or abbreviates; with `maxEdits`, only one within that
 * distance.
 */
export const closestName = (
  given: string,
  known: ReadonlyArray<string>,
  maxEdits?: number
): string | undefined => {
  const limit = maxEdits ?? Math.max(1, Math.floor(given.length / 3))
  const written = given.toLowerCase()
  const [best] = known
    .map((name) => ({ name, lower: name.toLowerCase() }))
    .map(({ lower, name }) => ({ name, lower, distance: editDistance(written, lower) }))
    .filter(
      ({ distance, lower }) => distance <= limit || (maxEdits === undefined && isPrefix(written, lower))
    )
    .toSorted((left, right) => left.distance - right.distance)
  return best?.name
}
