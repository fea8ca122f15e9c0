import { readFileSync } from "node:fs"
import type { Model } from "./Checker.ts"
import type { ChargeWorldState } from "./ChargeState.ts"

/*
 * State diagrams as text. A line such as `placing, placed ─▶ failed ─▶ refund_due   refused` has transitions from each
 * state to each of the next ones; what follows two spaces is a remark.
 */

const arrow = "─▶"

/** Lines of a diagram, in a document or in a comment. */
const linesIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.replace(/^ \* /, ""))
    .filter((line) => line.includes(arrow))

/** The transitions of a diagram, sorted: `placing ─▶ failed`. */
export const transitionsIn = (text: string): ReadonlyArray<string> => {
  const transitions = linesIn(text).flatMap((line) => {
    const groups = line.split(arrow).map((group) => group.trim().split(/ {2,}/)[0]!.split(", "))
    return groups
      .slice(1)
      .flatMap((targets, index) =>
        groups[index]!.flatMap((from) => targets.map((to) => `${from} ${arrow} ${to}`))
      )
  })
  return Array.from(new Set(transitions)).toSorted()
}

export const transition = (from: string, to: string): string => `${from} ${arrow} ${to}`

/** Both ends of a transition. */
export const endsOf = (name: string): readonly [from: string, to: string] => {
  const [from, to] = name.split(` ${arrow} `)
  return [from!, to!]
}

const places = {
  charge: { page: "charges.md", heading: "## States of a charge" },
  order: { page: "orders.md", heading: "## Life of an order" }
} as const

/** The diagram of a life in docs/explain: the first block of code under its heading. */
export const documentedDiagram = (life: keyof typeof places): string => {
  const { heading, page } = places[life]
  const document = new URL(`../../../../docs/explain/${page}`, import.meta.url)
  const text = readFileSync(document, "utf8").split(`\n${heading}\n`)[1]
  const block = text?.split("```")[1]
  if (block === undefined) throw new Error(`docs/explain/${page} has no diagram under "${heading}"`)
  return block
}

/** Records the transitions between named states that a model's exploration meets. */
export const recordTransitions = <State>(
  model: Model<State>,
  nameOf: (state: State) => string,
  found: Set<string>
): Model<State> => ({
  ...model,
  movesFrom: (state) => {
    const moves = model.movesFrom(state)
    const from = nameOf(state)
    for (const move of moves) {
      const to = nameOf(move.to)
      if (to !== from) found.add(transition(from, to))
    }
    return moves
  }
})

/** The name of a charge's state in its diagram. */
export const nameOfCharge = ({ record }: ChargeWorldState): string => {
  if (record === undefined) return "no charge"
  if (record.refund === "sent") return "refunded"
  return record.refund === "due" ? "refund due" : record.state
}
