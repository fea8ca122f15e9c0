import { toBinary } from "./base64.ts"

/*
 * Writes the JSON of a document in which only one text varies: the 402 of a search, which contains its URL.
 *
 * Replaces: `JSON.stringify`, and base64 of it, for every unpaid search.
 * Gain: 24 µs → 1.4 µs; up to 40 % of a paid call.
 * Equivalence: test/fast/jsonTemplate.test.ts and test/toll/Challenge.test.ts.
 */

/** Stands for the text in a template: JSON escapes its control characters, and nothing else has them. */
const placeholder = "\u0000text\u0000"
const placeholderJson = JSON.stringify(placeholder)

const partsOf = (make: (text: string) => unknown): ReadonlyArray<string> =>
  JSON.stringify(make(placeholder)).split(placeholderJson)

/** Writes the JSON of documents that differ only in one text: everything around it is written once. */
export const jsonTemplate = (make: (text: string) => unknown): ((text: string) => string) => {
  const parts = partsOf(make)
  return (text) => parts.join(JSON.stringify(text))
}

/** Base64 of a binary string whose first bytes complete what precedes it: `head` fills a group of three with them. */
interface Encoded {
  readonly head: string
  readonly groups: string
  readonly rest: string
}

/** A part of a template, encoded once for each number of bytes that may precede it in its first group. */
const encodedPart = (binary: string): ReadonlyArray<Encoded> =>
  [0, 2, 1].map((missing) => {
    const end = missing + 3 * Math.max(0, Math.floor((binary.length - missing) / 3))
    return {
      head: binary.slice(0, missing),
      groups: btoa(binary.slice(missing, end)),
      rest: binary.slice(end)
    }
  })

/** The same in standard base64, for texts that are ASCII. */
export const base64JsonTemplate = (make: (text: string) => unknown): ((text: string) => string) => {
  const [first = "", ...others] = partsOf(make).map(toBinary)
  const start = encodedPart(first)[0]!
  const encoded = others.map(encodedPart)
  return (text) => {
    const json = JSON.stringify(text)
    let base64 = start.groups
    let open = start.rest
    for (const part of encoded) {
      open += json
      const { groups, head, rest } = part[open.length % 3]!
      // A part shorter than its head leaves the group open.
      open += head
      const end = open.length - (open.length % 3)
      base64 += btoa(open.slice(0, end)) + groups
      open = open.slice(end) + rest
    }
    return base64 + btoa(open)
  }
}
