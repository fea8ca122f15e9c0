/*
 * A plugin for Stryker: leaves alone the texts that people read.
 *
 * "Nothing was charged" and "nothing was debited" are one decision about money. The code beside the message, the
 * field that it stands in and the condition that leads to it are mutated as everything else.
 */

interface Node {
  readonly type: string
  readonly value?: unknown
  readonly quasis?: ReadonlyArray<{ readonly value: { readonly raw: string } }>
  readonly callee?: Node
  readonly object?: Node
  readonly property?: Node
  readonly name?: string
}

interface NodePath {
  readonly node: Node
  readonly parentPath: NodePath | null
}

/** Texts in these calls have spaces, and are no messages: the chain hashes or decodes them. */
const hashed = new Set(["parseAbi", "parseAbiItem", "stringToHex", "keccak256"])
/** Labels of traces and of services: any other would do. */
const labeling = new Set(["fn", "Service", "withSpan"])

const textOf = ({ quasis, type, value }: Node): string | undefined => {
  if (type === "StringLiteral" && typeof value === "string") return value
  if (type === "TemplateLiteral") return quasis?.map(({ value: { raw } }) => raw).join("…")
  return undefined
}

/** `fn` of `Effect.fn("…")`, `Service` of `Context.Service<…>()("…")`. */
const nameOf = (callee: Node | undefined): string | undefined => {
  if (callee?.type === "CallExpression") return nameOf(callee.callee)
  return callee?.type === "MemberExpression" ? callee.property?.name : callee?.name
}

const callsAround = (path: NodePath): ReadonlyArray<string> => {
  const names: Array<string> = []
  for (let at = path.parentPath; at !== null; at = at.parentPath) {
    if (at.node.type.includes("Function")) break
    const name = at.node.type === "CallExpression" ? nameOf(at.node.callee) : undefined
    if (name !== undefined) names.push(name)
  }
  return names
}

const shouldIgnore = (path: NodePath): string | undefined => {
  const text = textOf(path.node)
  if (text === undefined) return undefined
  const calls = callsAround(path)
  if (calls[0] !== undefined && labeling.has(calls[0])) return "a label"
  return /\s/.test(text) && !calls.some((name) => hashed.has(name)) ? "words for people" : undefined
}

export const strykerPlugins = [{ kind: "Ignore", name: "words", value: { shouldIgnore } }]
