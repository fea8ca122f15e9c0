import { Effect } from "effect"
import type { BlockRange, ChainNode, FoundLog, LogFilter, NodeFailed } from "./ChainNode.ts"

/** Blocks per query: most nodes accept this many. */
export const blocksPerQuery = 2_000n

export interface LogSearchOptions {
  readonly maxQueries: number
  /** Stops at the first query that finds something. */
  readonly untilFound: boolean
}

export interface LogSearchResult {
  readonly logs: ReadonlyArray<FoundLog>
  /** The whole range was read. */
  readonly isComplete: boolean
}

/**
 * Reads the logs of a block range in bounded queries, newest blocks first.
 *
 * Halves a range that the node refuses: some nodes allow only a few blocks per query.
 */
export const searchLogs = Effect.fnUntraced(function* (
  node: ChainNode,
  filter: LogFilter,
  range: BlockRange,
  { maxQueries, untilFound }: LogSearchOptions
): Effect.fn.Return<LogSearchResult, NodeFailed> {
  const found: Array<ReadonlyArray<FoundLog>> = []
  let size = blocksPerQuery
  let to = range.to
  for (let query = 0; query < maxQueries && to >= range.from; query++) {
    const from = to - size + 1n > range.from ? to - size + 1n : range.from
    const width = to - from + 1n
    const logs = yield* node
      .logs(filter, { from, to })
      .pipe(
        Effect.catch((failure) =>
          failure.isRefusal && width > 1n ? Effect.succeed(undefined) : Effect.fail(failure)
        )
      )
    if (logs === undefined) {
      size = width / 2n
      continue
    }
    to = from - 1n
    if (logs.length === 0) continue
    found.push(logs)
    if (untilFound) break
  }
  return { logs: found.toReversed().flat(), isComplete: to < range.from }
})
