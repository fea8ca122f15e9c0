/*
 * The long run of the concurrent replay: in each round, very many copies of one payment at once, against the official
 * middleware and against a till. Ends with code 1 where a payment had more than one effect or settlement.
 *
 *   node --conditions=@till402/source e2e/attacks/replayRounds.ts --requests 1000 --rounds 100 --storage sqlite
 *
 * --storage: memory (the default), or sqlite or postgres, where two tills share it.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { memory, type TillOptions } from "@till402/core"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { startPostgres } from "@till402/test-postgres"
import { type Call, calls } from "./src/Calls.ts"
import { openGoods, slowWork } from "./src/Goods.ts"
import { keepOurs } from "./src/KeptOurs.ts"
import { openOfficial } from "./src/Official.ts"
import { countOf, visit, type Visitor } from "./src/Visitor.ts"

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "1000" },
    rounds: { type: "string", default: "100" },
    storage: { type: "string", default: "memory" }
  }
})

const positive = (name: "requests" | "rounds"): number => {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  console.error(`--${name} must be a whole number above zero`)
  process.exit(2)
}

/** In turn, since each has a different effect. */
const kinds: ReadonlyArray<Call> = [calls.search, calls.track, calls.shop, calls.vaultBuy, calls.buy]

/** The tills of one run: two if the storage can be shared. */
const openStorage = async (): Promise<{
  readonly storages: ReadonlyArray<TillOptions["storage"]>
  readonly remove: () => Promise<void>
}> => {
  switch (values.storage) {
    case "memory":
      return { storages: [memory()], remove: async () => undefined }
    case "sqlite": {
      const folder = await mkdtemp(join(tmpdir(), "till402-replay-"))
      const filename = join(folder, "till.sqlite")
      return {
        storages: [sqlite({ filename }), sqlite({ filename })],
        remove: () => rm(folder, { recursive: true, force: true })
      }
    }
    case "postgres": {
      const cluster = await startPostgres()
      return {
        storages: [postgres({ url: cluster.url }), postgres({ url: cluster.url })],
        remove: cluster.stop
      }
    }
    default:
      throw new Error("--storage must be memory, sqlite or postgres")
  }
}

/** Presents copies of one payment at once, distributed over the servers; resolves when all have responses. */
const floodAll = async (visitors: ReadonlyArray<Visitor>, call: Call, copies: number) => {
  const payment = await visitors[0]!.payFor(call)
  return Promise.all(
    Array.from({ length: copies }, (_, copy) => visitors[copy % visitors.length]!.present(call, payment))
  )
}

/** Faults in the responses of one round on ours; empty if there are none. */
const faultsOf = (
  responses: Awaited<ReturnType<typeof floodAll>>,
  settlements: number
): ReadonlyArray<string> => {
  const [paid, inProgress] = [countOf(responses, 200), countOf(responses, 409)]
  const bodies = new Set(responses.filter(({ status }) => status === 200).map(({ text }) => text))
  return [
    ...(paid === 0 ? ["no copy got a response"] : []),
    ...(paid + inProgress === responses.length ? [] : ["a response was neither 200 nor 409"]),
    ...(bodies.size > 1 ? [`${bodies.size} responses to one payment`] : []),
    ...(settlements === 1 ? [] : [`${settlements} settlements of one payment`])
  ]
}

const runOurs = async (requests: number, rounds: number): Promise<ReadonlyArray<string>> => {
  const facilitator = fakeFacilitator()
  const goods = openGoods()
  slowWork(goods, 5)
  const { remove, storages } = await openStorage()
  const servers = []
  for (const storage of storages)
    servers.push(await keepOurs(facilitator, { storage, onEvent: () => undefined }, goods))
  const visitors = servers.map(visit)
  const faults: Array<string> = []
  for (let round = 0; round < rounds; round++) {
    const before = facilitator.settle.calls.length
    const responses = await floodAll(visitors, kinds[round % kinds.length]!, requests)
    const found = faultsOf(responses, facilitator.settle.calls.length - before)
    faults.push(...found.map((fault) => `round ${round + 1}: ${fault}`))
    if ((round + 1) % 10 === 0) console.log(`ours: ${round + 1} of ${rounds} rounds, ${faults.length} faults`)
  }
  const ofKind = (kind: Call): number => Math.ceil((rounds - kinds.indexOf(kind)) / kinds.length)
  const done = () => ({
    tracked: [goods.tracker.track.calls.length, ofKind(calls.track)],
    worked: [goods.assistant.reply.calls.length, ofKind(calls.shop)],
    // The assistant searches as well.
    searched: [goods.marketplace.search.calls.length, ofKind(calls.search) + ofKind(calls.shop)],
    ordered: [goods.fulfilment.place.calls.length, ofKind(calls.buy)],
    mailed: [goods.mailer.sent.length, ofKind(calls.buy) + ofKind(calls.vaultBuy)]
  })
  // Orders are placed and mails are sent after the response.
  for (let time = 0; time < 100 && Object.values(done()).some(([times, due]) => times! < due!); time++)
    await new Promise((resolve) => setTimeout(resolve, 50))
  for (const { till } of servers) await till.dispose()
  await remove()
  for (const [what, [times, due]] of Object.entries(done()))
    if (times !== due) faults.push(`${what} ${times} times; ${due} were due`)
  console.log(
    `ours: ${rounds} payments, ${requests} copies of each at once, ${facilitator.settle.calls.length} settlements`
  )
  return faults
}

/** The same on the official middleware, for one round: how often its handler ran for one settlement. */
const runOfficial = async (requests: number): Promise<void> => {
  const facilitator = fakeFacilitator()
  const server = openOfficial(facilitator)
  slowWork(server.goods, 5)
  await floodAll([visit(server)], calls.buy, requests)
  const { settled } = facilitator
  console.log(`@x402/hono: ${server.goods.fulfilment.orders.size} orders for ${settled.length} settlement`)
}

const [requests, rounds] = [positive("requests"), positive("rounds")]
await runOfficial(requests)
const faults = await runOurs(requests, rounds)
for (const fault of faults) console.error(fault)
console.log(faults.length === 0 ? "No payment had a second effect." : `${faults.length} faults`)
if (faults.length > 0) process.exitCode = 1
