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

const architecture = new URL("../../../../docs/architecture.md", import.meta.url)

/** The diagram under a heading of docs/architecture.md: the first block of code. */
export const documentedDiagram = (heading: string): string => {
  const text = readFileSync(architecture, "utf8").split(`\n${heading}\n`)[1]
  const block = text?.split("```")[1]
  if (block === undefined) throw new Error(`docs/architecture.md has no diagram under "${heading}"`)
  return block
}

export const headings = { charge: "## States of a charge", order: "## Life of an order" } as const

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
