import { closestName } from "../runtime/closestName.ts"

/** What is wrong with the names of a storage's options: behind `maxConections`, the default would count. */
export const unknownOptions = (
  storage: string,
  given: object,
  known: ReadonlyArray<string>
): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = closestName(name, known)
      return `${storage} has no ${name}${meant === undefined ? `; it has ${known.join(", ")}` : `: did you mean ${meant}?`}`
    })
