/*
 * Measures one row, ours and the official middleware in turns, in a process of its own.
 */
import { memory, type TillOptions } from "@till402/core"
import { postgres } from "@till402/core/postgres"
import { sqlite } from "@till402/core/sqlite"
import { HTTPFacilitatorClient } from "@x402/core/server"
import type { Comparison } from "./Bench.ts"
import type { Row } from "./comparisons.ts"
import {
  type Contender,
  inProcess,
  type OfficialClient,
  officialApp,
  ourApp,
  overSocket
} from "./contenders.ts"
import { startFacilitator } from "./facilitators.ts"
import { type Authorization, network, readChallenge, signPayments } from "./payments.ts"
import { report, workerOptions } from "./processes.ts"
import { median, quantile } from "./quantile.ts"
import type { Sent } from "./sending.ts"

export interface RowOptions extends Row {
  /** The file of SQLite, or the URL of PostgreSQL. */
  readonly database: string
}

const row = workerOptions<RowOptions>()

const openStorage = (): TillOptions["storage"] =>
  row.storage === "memory"
    ? memory()
    : row.storage === "SQLite"
      ? sqlite({ filename: row.database })
      : postgres({ url: row.database })

/** Responds at once. */
const facilitatorInProcess = () => {
  let verified = 0
  let settled = 0
  const payerOf = (payment: unknown): string =>
    (payment as { readonly payload: { readonly authorization: Authorization } }).payload.authorization.from
  const client = {
    verify: async (payment: unknown) => {
      verified += 1
      return { isValid: true, payer: payerOf(payment) }
    },
    settle: async (payment: unknown) => {
      settled += 1
      const transaction = `0x${settled.toString(16).padStart(64, "0")}`
      return { success: true, transaction, network, payer: payerOf(payment) }
    },
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: "exact", network }],
      extensions: [],
      signers: {}
    })
  }
  return {
    ours: client,
    official: client as unknown as OfficialClient,
    counts: async () => ({ verified, settled }),
    stop: async (): Promise<void> => undefined
  }
}

/** What both settle at. */
const openFacilitator = async () => {
  if (row.facilitator === "in process") return facilitatorInProcess()
  const { counts, stop, url } = await startFacilitator(row.facilitator)
  const official: OfficialClient = new HTTPFacilitatorClient({ url })
  return { ours: { url }, official, counts, stop }
}

/** Both sides, ours first. */
const openContenders = async ({
  official,
  ours
}: Awaited<ReturnType<typeof openFacilitator>>): Promise<readonly [Contender, Contender]> => {
  const our = await ourApp(row.framework, {
    storage: openStorage(),
    facilitator: ours,
    // By default, one process has at most 64 verifications and 1,000 settlements in flight.
    ...(row.callers > 32 ? { limits: { unverified: 8_000, unsettled: 8_000 } } : {})
  })
  const theirs = officialApp(row.framework, official)
  return row.isOverSockets
    ? [await overSocket(our.app, our.stop), await overSocket(theirs)]
    : [inProcess(our.app, our.stop), inProcess(theirs)]
}

const headersFor = async (contender: Contender, count: number) => {
  if (!row.isPaid) return Array.from({ length: count }, () => ({}))
  const { headers } = await contender.call()
  const challenge = readChallenge(headers.get("payment-required"))
  return signPayments(challenge, count).map((payment) => ({ "payment-signature": payment }))
}

const send = async (contender: Contender, count: number): Promise<Sent> =>
  contender.sendAll({
    concurrency: row.callers,
    status: row.isPaid ? 200 : 402,
    headers: await headersFor(contender, count)
  })

const facilitator = await openFacilitator()
const contenders = await openContenders(facilitator)
for (const contender of contenders)
  // In portions, since a payment is valid for two minutes.
  for (let left = row.warmUp; left > 0; left -= 1_000) await send(contender, Math.min(left, 1_000))
const rounds: [Array<Sent>, Array<Sent>] = [[], []]
for (let round = 0; round < row.rounds; round++)
  for (const side of [0, 1] as const) rounds[side].push(await send(contenders[side], row.calls))

const paid = row.isPaid ? 2 * (row.warmUp + row.rounds * row.calls) : 0
const { settled, verified } = await facilitator.counts()
if (verified !== paid || settled !== paid)
  throw new Error(`${row.name}: of ${paid} payments, ${verified} were verified and ${settled} settled`)
for (const { stop } of contenders) await stop()
await facilitator.stop()

const figures = {
  rate: ({ millis, times }: Sent) => times.length / (millis / 1_000),
  p50: ({ times }: Sent) => quantile(times, 0.5),
  p99: ({ times }: Sent) => quantile(times, 0.99)
}
report(
  row.figures.map((figure): Comparison => ({
    name: figure === "rate" ? row.name : `${row.name}, ${figure}`,
    unit: figure === "rate" ? "calls/s" : "ms",
    // The median of the rounds: one of them may have shared the machine.
    till402: median(rounds[0].map(figures[figure])),
    official: median(rounds[1].map(figures[figure]))
  }))
)
