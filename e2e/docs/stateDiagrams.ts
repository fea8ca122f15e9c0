import { instance } from "@viz-js/viz"
import { documentedDiagram, endsOf, transitionsIn } from "../../packages/core/test/model/stateDiagram.ts"

/*
 * Draws the state diagrams of docs/explain, which tests compare with the machines.
 */

/** Where nothing is left to do, and where a person decides. */
const marked: Readonly<Record<string, string>> = {
  delivered: "#dafbe1",
  settled: "#dafbe1",
  refunded: "#dafbe1",
  abandoned: "#dafbe1",
  needs_operator: "#fff8c5"
}

const quote = (text: string): string => JSON.stringify(text)

/** Where each life begins. */
const first = { charge: "no charge", order: "awaiting_payment" } as const

const dotOf = (name: keyof typeof first): string => {
  const transitions = transitionsIn(documentedDiagram(name))
  const ends = transitions.map(endsOf)
  const states = Array.from(new Set(ends.flat()))
  return [
    "digraph {",
    'rankdir=LR; bgcolor=transparent; nodesep=0.35; node [shape=box, style="rounded,filled", color="#57606a", fontname="sans-serif", fontsize=12, margin="0.2,0.08"]; edge [color="#57606a", arrowsize=0.7]',
    `{ rank=source; ${quote(first[name])} }`,
    ...states.map((state) => `${quote(state)} [fillcolor="${marked[state] ?? "#f6f8fa"}"]`),
    ...ends.map(([from, to]) => `${quote(from)} -> ${quote(to)}`),
    "}"
  ].join("\n")
}

/** The drawings, by their path. */
export const stateDrawings = async (): Promise<ReadonlyArray<readonly [path: string, svg: string]>> => {
  const viz = await instance()
  return (["charge", "order"] as const).map((name) => [
    `docs/${name}-states.svg`,
    viz.renderString(dotOf(name), { format: "svg" })
  ])
}
