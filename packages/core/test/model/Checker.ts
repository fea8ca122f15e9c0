/*
 * Explores every state that a model can reach, breadth first. Knows nothing of payments.
 *
 * - Safety: a move or a state may name a violation. Its shortest path is kept as a story, and nothing is explored from
 *   there on.
 * - Liveness: from every state a final one must be reachable. Searched backwards over the explored graph, if nothing
 *   is violated.
 */

/** A move from one state to another. `violation`: what it breaks. */
export interface Move<State> {
  /** Who does what. */
  readonly label: string
  readonly to: State
  readonly violation?: string | undefined
}

/** A model whose states are explored. */
export interface Model<State> {
  readonly initial: State
  /** Two states with the same text are one. */
  readonly keyOf: (state: State) => string
  readonly movesFrom: (state: State) => ReadonlyArray<Move<State>>
  /** Nothing more has to happen. */
  readonly isFinal: (state: State) => boolean
  /** What is wrong with a state; `undefined`: nothing. */
  readonly faultOf: (state: State) => string | undefined
  /** One line about a state, for the end of a story. */
  readonly describe: (state: State) => string
}

/** A violation with its shortest path. */
export interface Story {
  readonly violation: string
  /** Who did what, in order; the last line describes the state. */
  readonly lines: ReadonlyArray<string>
}

export interface Exploration {
  readonly states: number
  readonly edges: number
  readonly finals: number
  readonly seconds: number
  /** All states were explored. */
  readonly isComplete: boolean
  /** One for each kind of violation. A state from which no final one can be reached is a violation, too. */
  readonly stories: ReadonlyArray<Story>
}

export const stuck = "no final state can be reached"

/** Integers in a growing array: a large graph as objects would need too much memory. */
class Integers {
  private values = new Int32Array(1024)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const larger = new Int32Array(this.length * 2)
      larger.set(this.values)
      this.values = larger
    }
    this.values[this.length++] = value
  }

  at(index: number): number {
    return this.values[index]!
  }
}

/** The explored graph. States are numbers. */
class Graph {
  readonly parents = new Integers()
  readonly edgesFrom = new Integers()
  readonly edgesTo = new Integers()
  readonly finals: Array<number> = []
  private readonly labelOfState = new Integers()
  private readonly labels: Array<string> = []
  private readonly numberOfLabel = new Map<string, number>()

  add(parent: number, label: string): number {
    let number = this.numberOfLabel.get(label)
    if (number === undefined) {
      number = this.labels.push(label) - 1
      this.numberOfLabel.set(label, number)
    }
    this.parents.push(parent)
    this.labelOfState.push(number)
    return this.parents.length - 1
  }

  connect(from: number, to: number): void {
    this.edgesFrom.push(from)
    this.edgesTo.push(to)
  }

  /** Labels of the moves from the initial state to a state. */
  pathTo(state: number): Array<string> {
    const path: Array<string> = []
    for (let at = state; this.parents.at(at) >= 0; at = this.parents.at(at))
      path.push(this.labels[this.labelOfState.at(at)]!)
    return path.toReversed()
  }

  /** The first state, in the order of exploration, from which no final state can be reached. */
  firstStuck(): number | undefined {
    const size = this.parents.length
    // Edges sorted by their target: those to state `n` are from `start[n]` to before `start[n + 1]`.
    const start = new Int32Array(size + 2)
    for (let edge = 0; edge < this.edgesTo.length; edge++) start[this.edgesTo.at(edge) + 2]!++
    for (let state = 2; state < start.length; state++) start[state]! += start[state - 1]!
    const sources = new Int32Array(this.edgesTo.length)
    for (let edge = 0; edge < this.edgesTo.length; edge++)
      sources[start[this.edgesTo.at(edge) + 1]!++] = this.edgesFrom.at(edge)
    const reaches = new Uint8Array(size)
    const open = [...this.finals]
    for (const final of open) reaches[final] = 1
    for (let state = open.pop(); state !== undefined; state = open.pop())
      for (let edge = start[state]!; edge < start[state + 1]!; edge++) {
        const source = sources[edge]!
        if (reaches[source] === 1) continue
        reaches[source] = 1
        open.push(source)
      }
    for (let state = 0; state < size; state++) if (reaches[state] === 0) return state
    return undefined
  }
}

/** Options of an exploration. */
export interface Limits {
  /** States after which it stops, incomplete. */
  readonly maxStates: number
  /** Stops at the first violation. */
  readonly firstOnly?: boolean
}

const defaultLimits: Limits = { maxStates: 3_000_000 }

/** Explores a model completely. */
export const explore = <State>(model: Model<State>, limits: Limits = defaultLimits): Exploration => {
  const begin = process.cpuUsage()
  const graph = new Graph()
  const numbers = new Map<string, number>([[model.keyOf(model.initial), graph.add(-1, "")]])
  const stories = new Map<string, Story>()
  let isComplete = true
  const report = (violation: string, state: State, path: ReadonlyArray<string>): void => {
    if (!stories.has(violation))
      stories.set(violation, { violation, lines: [...path, `state: ${model.describe(state)}`] })
  }
  let level: Array<{ readonly number: number; readonly state: State }> = [{ number: 0, state: model.initial }]
  const isOver = () => !isComplete || (limits.firstOnly === true && stories.size > 0)
  while (level.length > 0 && !isOver()) {
    const following: typeof level = []
    for (const { number, state } of level) {
      if (isOver()) break
      if (numbers.size > limits.maxStates) isComplete = false
      const fault = model.faultOf(state)
      if (fault !== undefined) {
        report(fault, state, graph.pathTo(number))
        continue
      }
      if (model.isFinal(state)) graph.finals.push(number)
      for (const { label, to, violation } of model.movesFrom(state)) {
        if (violation !== undefined) {
          report(violation, to, [...graph.pathTo(number), label])
          continue
        }
        const key = model.keyOf(to)
        let target = numbers.get(key)
        if (target === undefined) {
          target = graph.add(number, label)
          numbers.set(key, target)
          following.push({ number: target, state: to })
        }
        if (target !== number) graph.connect(number, target)
      }
    }
    level = following
  }
  // With a violation, whatever leads only to it would count as stuck.
  const lost = isOver() || stories.size > 0 ? undefined : graph.firstStuck()
  if (lost !== undefined)
    stories.set(stuck, { violation: stuck, lines: [...graph.pathTo(lost), "state: nothing ends it"] })
  const { system, user } = process.cpuUsage(begin)
  return {
    states: numbers.size,
    edges: graph.edgesTo.length,
    finals: graph.finals.length,
    seconds: (system + user) / 1e6,
    isComplete,
    stories: Array.from(stories.values())
  }
}

/** A story as text. */
export const tell = ({ lines, violation }: Story): string =>
  [violation, ...lines.map((line, index) => `  ${String(index + 1).padStart(2)}. ${line}`)].join("\n")
