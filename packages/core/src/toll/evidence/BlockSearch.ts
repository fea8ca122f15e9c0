import { Effect } from "effect"
import { type Block, type BlockRange, type ChainNode, NodeFailed } from "./ChainNode.ts"

/*
 * Finds blocks by time. Block intervals vary within a chain, so times are read, not estimated.
 */

const firstStep = 1_000n
/** Limit on the headers read in one search. Each step divides the rest, so a search needs far fewer. */
const maxProbes = 100

/**
 * Brackets a time by two blocks with up to `slack` blocks between them, which may be on either side of it.
 *
 * Without slack, `before` is older and `from` is the first block at or after the time. Either may be one beyond the ends
 * of the chain.
 */
export const bracketTime = Effect.fnUntraced(function* (
  node: ChainNode,
  latest: Block,
  seconds: bigint,
  slack = 0n
) {
  if (latest.timestamp < seconds) return { before: latest.number, from: latest.number + 1n }
  let from = latest
  let before: Block | undefined
  let step = firstStep
  for (let probe = 0; probe < maxProbes; probe++) {
    const lowest = before?.number ?? -1n
    if (from.number - lowest <= 1n + slack) return { before: lowest, from: from.number }
    const number = before === undefined ? from.number - step : between(before, from, seconds, probe % 2 === 0)
    step *= 4n
    const block = yield* node.block(number < 0n ? 0n : number)
    if (block === undefined) break
    if (block.timestamp < seconds) before = block
    else from = block
  }
  return yield* new NodeFailed({ cause: new Error("block not found"), isRefusal: false })
})

/** A block strictly between two: by interpolation of the time, or else in the middle. */
const between = (before: Block, from: Block, seconds: bigint, isEven: boolean): bigint => {
  const blocks = from.number - before.number
  const offset = isEven
    ? (blocks * (seconds - before.timestamp)) / (from.timestamp - before.timestamp)
    : blocks / 2n
  return before.number + (offset < 1n ? 1n : offset >= blocks ? blocks - 1n : offset)
}

/** The blocks at or after one time and before another. With slack, a few more at either end. */
export const blocksBetween = Effect.fnUntraced(function* (
  node: ChainNode,
  latest: Block,
  times: { readonly fromSeconds: bigint; readonly beforeSeconds: bigint },
  slack = 0n
): Effect.fn.Return<BlockRange, NodeFailed> {
  const first = yield* bracketTime(node, latest, times.fromSeconds, slack)
  const last = yield* bracketTime(node, latest, times.beforeSeconds, slack)
  return { from: first.before + 1n, to: last.from - 1n }
})
