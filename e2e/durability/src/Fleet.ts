import type { Randomness } from "./Randomness.ts"
import type { Servers } from "./Buyer.ts"
import { type ServerEvent, type ServerProcess, spawnServer } from "./ServerProcess.ts"
import type { ServerSettings } from "./ServerSettings.ts"

/** Servers on one store; each is replaced when it is killed. */
export interface Fleet {
  /** Numbers of the places for servers. */
  readonly slots: ReadonlyArray<number>
  readonly servers: Servers
  /** The slot of a running server with this name; `undefined` if it no longer runs. */
  readonly slotOf: (name: string) => number | undefined
  /**
   * Kills by SIGKILL before this returns; resolves when successors serve in these slots. With `stillbornMillis`, each
   * slot's first successor is killed that long after it begins to start.
   */
  readonly replace: (slots: ReadonlyArray<number>, stillbornMillis?: number) => Promise<void>
  /** The servers that serve now. */
  readonly running: () => ReadonlyArray<{ readonly name: string; readonly origin: string }>
  /** Ends the kills: from now on, clients have a deadline. */
  readonly pacify: () => void
  /** Sends a request to a running server's own endpoint: to that of a slot, or to any. */
  readonly control: <A>(path: string, body: unknown, slot?: number) => Promise<A>
  readonly stop: () => Promise<void>
}

interface Slot {
  serving: ServerProcess
  /** Loaded, and waiting to take over; absent once enough have. */
  standby: ServerProcess | undefined
  /** How many more processes are started before they are needed. */
  standbysLeft: number
  /** Absent while no server serves. */
  origin: string | undefined
}

const originMillis = 300_000
const controlMillis = 300_000
/** How long clients wait for a response after the last kill. */
const defaultPatienceMillis = 120_000

export const startFleet = async (options: {
  readonly size: number
  readonly settings: Omit<ServerSettings, "name">
  readonly onEvent: (event: ServerEvent) => void
  /** In how many successions of a slot the successor is loaded before; default: in all. */
  readonly standbys?: number
  /** How long clients wait for a response after the last kill, in milliseconds; default 120,000. */
  readonly patienceMillis?: number
}): Promise<Fleet> => {
  const { patienceMillis = defaultPatienceMillis, standbys = Number.POSITIVE_INFINITY } = options
  let spawned = 0
  // While servers die, a response may take any number of attempts.
  let patienceEndsAtMillis = Number.POSITIVE_INFINITY
  const spawn = (): ServerProcess =>
    spawnServer({ ...options.settings, name: `server-${++spawned}` }, options.onEvent)
  const slots: Array<Slot> = Array.from({ length: options.size }, () => ({
    serving: spawn(),
    standby: standbys > 0 ? spawn() : undefined,
    standbysLeft: standbys - 1,
    origin: undefined
  }))
  const slotAt = (index: number): Slot => {
    const slot = slots[index]
    if (slot === undefined) throw new Error(`there is no slot ${index}`)
    return slot
  }

  const succeed = (slot: Slot): void => {
    slot.serving = slot.standby ?? spawn()
    slot.standby = slot.standbysLeft-- > 0 ? spawn() : undefined
  }

  const replaceOne = async (slot: Slot, stillbornMillis: number | undefined): Promise<void> => {
    slot.origin = undefined
    await slot.serving.kill()
    succeed(slot)
    if (stillbornMillis !== undefined) {
      slot.serving.begin()
      await new Promise((resolve) => setTimeout(resolve, stillbornMillis))
      await slot.serving.kill()
      succeed(slot)
    }
    slot.origin = await slot.serving.serve()
  }

  const stop = async (): Promise<void> => {
    await Promise.all(slots.flatMap(({ serving, standby }) => [serving.kill(), standby?.kill()]))
  }

  const origin = async (randomness: Randomness): Promise<string> => {
    const deadline = Date.now() + originMillis
    for (;;) {
      const [first, ...others] = slots.flatMap((slot) => (slot.origin === undefined ? [] : [slot.origin]))
      if (first !== undefined) return randomness.pick([first, ...others])
      if (Date.now() > deadline) throw new Error(`no server started within ${originMillis} ms`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  const control = async <A>(path: string, body: unknown, wanted?: number): Promise<A> => {
    const candidates = wanted === undefined ? slots : [slotAt(wanted)]
    const alive = candidates.find((slot) => slot.origin !== undefined)?.origin
    if (alive === undefined) throw new Error("no server is running")
    const response = await fetch(new URL(path, alive), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(controlMillis)
    })
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
    return (await response.json()) as A
  }

  try {
    await Promise.all(
      slots.map(async (slot) => {
        slot.origin = await slot.serving.serve()
      })
    )
  } catch (error) {
    await stop()
    throw error
  }
  return {
    slots: slots.map((_, index) => index),
    servers: { origin, patienceEndsAtMillis: () => patienceEndsAtMillis },
    slotOf: (name) => {
      const index = slots.findIndex(({ origin, serving }) => origin !== undefined && serving.name === name)
      return index === -1 ? undefined : index
    },
    replace: async (indexes, stillbornMillis) => {
      await Promise.all(indexes.map((index) => replaceOne(slotAt(index), stillbornMillis)))
    },
    running: () =>
      slots.flatMap(({ origin, serving }) => (origin === undefined ? [] : [{ name: serving.name, origin }])),
    pacify: () => {
      patienceEndsAtMillis = Date.now() + patienceMillis
    },
    control,
    stop
  }
}
