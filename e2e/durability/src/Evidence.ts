import type { Evidence, Replay, Transfer } from "./Audit.ts"
import type { Books } from "./Books.ts"
import { type Attempt, sendUntilFinal } from "./Buyer.ts"
import type { Fleet } from "./Fleet.ts"
import type { Outside } from "./Outside.ts"
import type { Rail } from "./rails/Rail.ts"
import { type Randomness, randomnessOf } from "./Randomness.ts"

interface Scene {
  readonly attempts: ReadonlyArray<Attempt>
  readonly baseUrl: string
  readonly fleet: Fleet
  readonly outside: Outside
  readonly rail: Rail
  readonly seed: number
  /** Lease time of charges whose server may be dead. */
  readonly leaseMillis: number
  /** Maximum time for work in flight to end after that. */
  readonly restMillis: number
}

const replayMillis = 120_000
const replayConcurrency = 6

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
    if (isAtRest(await readBooks(scene), await scene.rail.readTransfers()) || Date.now() > deadline) return
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
  const { outside, rail } = scene
  const [booksAfter, transfers, balanceAtomic] = await Promise.all([
    readBooks(scene),
    rail.readTransfers(),
    rail.balance()
  ])
  const { mails, placements } = outside
  return { attempts: scene.attempts, replays, transfers, balanceAtomic, books, booksAfter, placements, mails }
}
