import { type Chain, usdcAbi } from "@till402/sandbox"
import type { Address } from "viem"
import type { Evidence, Replay, Transfer } from "./Audit.ts"
import type { Books } from "./Books.ts"
import { type Attempt, sendUntilFinal } from "./Buyer.ts"
import type { Fleet } from "./Fleet.ts"
import type { Outside } from "./Outside.ts"
import { type Randomness, randomnessOf } from "./Randomness.ts"

interface Scene {
  readonly attempts: ReadonlyArray<Attempt>
  readonly baseUrl: string
  readonly chain: Chain
  readonly fleet: Fleet
  readonly outside: Outside
  readonly payTo: Address
  readonly seed: number
  /** Lease time of charges whose server may be dead. */
  readonly leaseMillis: number
  /** Maximum time for work in flight to end after that. */
  readonly restMillis: number
}

const replayMillis = 8_000
const replayConcurrency = 6

/** A node returns the events of this many blocks in time. */
const spanBlocks = 2_000n

/** Reads events of all blocks, span by span. */
export const readSpans = async <A>(
  { client }: Chain,
  read: (span: { readonly fromBlock: bigint; readonly toBlock: bigint }) => Promise<ReadonlyArray<A>>
): Promise<ReadonlyArray<A>> => {
  const last = await client.getBlockNumber()
  const found: Array<A> = []
  for (let fromBlock = 0n; fromBlock <= last; fromBlock += spanBlocks) {
    found.push(...(await read({ fromBlock, toBlock: fromBlock + spanBlocks - 1n })))
  }
  return found
}

/** USDC that moved to `payTo`, with the nonce of the authorization that moved it. */
export const readTransfers = async ({
  chain,
  payTo
}: Pick<Scene, "chain" | "payTo">): Promise<ReadonlyArray<Transfer>> => {
  const token = { address: chain.usdc, abi: usdcAbi } as const
  const [moves, uses] = await Promise.all([
    readSpans(chain, (span) =>
      chain.client.getContractEvents({ ...token, ...span, eventName: "Transfer", args: { to: payTo } })
    ),
    readSpans(chain, (span) =>
      chain.client.getContractEvents({ ...token, ...span, eventName: "AuthorizationUsed" })
    )
  ])
  const noncesOf = Map.groupBy(uses, ({ transactionHash }) => transactionHash)
  return moves.map(({ args, transactionHash }) => {
    const [used, ...others] = noncesOf.get(transactionHash) ?? []
    if (used?.args.nonce === undefined || others.length > 0 || args.value === undefined) {
      throw new Error(`the transfer in ${transactionHash} is not that of one authorization`)
    }
    return { nonce: used.args.nonce.toLowerCase(), amountAtomic: args.value, transaction: transactionHash }
  })
}

export const readBooks = ({ fleet, outside }: Pick<Scene, "fleet" | "outside">): Promise<Books> =>
  fleet.control<Books>(
    "/control/books",
    outside.reservations.map(({ id }) => id)
  )

/** Whether everything that completes by itself has completed. */
const isAtRest = ({ charges, orders }: Books, transfers: ReadonlyArray<Transfer>): boolean => {
  const settled = charges.filter(({ state }) => state === "settled")
  return (
    settled.length === transfers.length &&
    charges.every(({ state }) => state !== "ready") &&
    orders.every(({ status }) => status !== "processing")
  )
}

const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Reconciles until nothing is in flight, or until the deadline, after which the rest counts as lost. */
const comeToRest = async (scene: Scene): Promise<void> => {
  await sleep(scene.leaseMillis)
  const deadline = Date.now() + scene.restMillis
  for (;;) {
    await scene.fleet.control("/control/reconcile", {})
    if (isAtRest(await readBooks(scene), await readTransfers(scene)) || Date.now() > deadline) return
    await sleep(200)
  }
}

const replay = async (
  { baseUrl, fleet }: Scene,
  request: Request,
  randomness: Randomness
): Promise<Replay> => {
  const patienceEndsAtMillis = Date.now() + replayMillis
  const servers = { ...fleet.servers, patienceEndsAtMillis: () => patienceEndsAtMillis }
  try {
    return await sendUntilFinal(request, { baseUrl, servers, randomness }, { cutOff: 0, sentAgain: 0 })
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** Sends every successful payment again. */
const replayAll = async (scene: Scene): Promise<ReadonlyMap<Attempt, Replay>> => {
  const randomness = randomnessOf(scene.seed, "replays")
  const replays = new Map<Attempt, Replay>()
  const bought = scene.attempts
    .filter(({ responses }) => responses.some(({ status }) => status === 200))
    .values()
  const work = async (): Promise<void> => {
    for (const attempt of bought) {
      if (attempt.payment === undefined) continue
      replays.set(attempt, await replay(scene, attempt.payment.request, randomness))
    }
  }
  // A shared iterator, so that each attempt is taken once.
  await Promise.all(Array.from({ length: replayConcurrency }, work))
  return replays
}

/** Waits until all activity has ended and gathers the data for the audit. */
export const collectEvidence = async (scene: Scene): Promise<Evidence> => {
  await comeToRest(scene)
  const books = await readBooks(scene)
  const replays = await replayAll(scene)
  // Read last: replays must not have moved, ordered or bought anything.
  const [booksAfter, transfers] = await Promise.all([readBooks(scene), readTransfers(scene)])
  const { mails, placements } = scene.outside
  return { attempts: scene.attempts, replays, transfers, books, booksAfter, placements, mails }
}
