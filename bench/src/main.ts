/*
 * Ours against the official middleware, in one run on one machine: requests per second, and their
 * ratio. Every paid request carries a payment of its own, made beforehand.
 *
 *   npm run bench
 */
import { fork } from "node:child_process"
import { load, type Make, median, paidHeaders } from "./load.ts"
import { signedPayments, walletPayments } from "./payments.ts"
import { allAtOnce } from "./sending.ts"
import { contenders, type Facilitators, facilitatorsInProcess, startFacilitator } from "./servers.ts"
import { keyNamed, signPayment } from "./signing.ts"

const rounds = 5
/** Before the first round: so many calls until a server of either side is as fast as it will be. */
const warmUpCalls = 15_000

interface Row {
  readonly name: string
  readonly framework: keyof typeof contenders
  readonly count: number
  readonly status: 200 | 402
  /** Makes the payments; absent: unpaid. */
  readonly make?: Make
  readonly facilitators: () => Facilitators | Promise<Facilitators>
  /** Calls that are not counted, before the first round. */
  readonly warmUp: number
}

const measure = async ({ count, facilitators, framework, make, status, warmUp }: Row): Promise<Rates> => {
  const settling = await facilitators()
  const { official, ours } = contenders[framework]
  const both = [await ours(settling), await official(settling)] as const
  const rates: [Array<number>, Array<number>] = [[], []]
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const side of [0, 1] as const) {
        const amount = round === 0 ? Math.max(warmUp, count) : count
        const headers =
          make === undefined
            ? Array.from({ length: amount }, () => ({}))
            : await paidHeaders(both[side], make, amount)
        const rate = await load(both[side], status, headers)
        // The first round warms up.
        if (round > 0) rates[side].push(rate)
      }
    }
  } finally {
    for (const contender of both) await contender.stop()
    settling.stop()
  }
  return { ours: median(rates[0]), official: median(rates[1]) }
}

/** Payments of a hundred customers. */
const customersPayments: Make = (accepted, resource, count) => {
  const customers = Array.from({ length: 100 }, (_, index) => keyNamed(`customer ${index}`))
  return Array.from({ length: count }, (_, index) =>
    signPayment({ accepts: [accepted], resource }, customers[index % customers.length]!)
  )
}

const notVerifying = () => facilitatorsInProcess(false)
const unpaid = { name: "unpaid 402", count: 6000, status: 402, facilitators: notVerifying } as const
const verified = {
  name: "paid, signature verified",
  count: 600,
  status: 200,
  make: signedPayments,
  facilitators: () => facilitatorsInProcess(true),
  warmUp: 0
} as const
const notVerified = {
  name: "paid, signature not verified",
  count: 6000,
  status: 200,
  make: walletPayments,
  facilitators: notVerifying
} as const
/** As in production: facilitator and server are two processes. It verifies nothing and responds at once. */
const overHttp = {
  name: "paid, facilitator over HTTP",
  count: 2000,
  status: 200,
  make: customersPayments,
  facilitators: () => startFacilitator("instant")
} as const

const warmUp = warmUpCalls
const rows: ReadonlyArray<Row> = [
  ...(["hono", "hono, a host's route", "hono, over a socket", "express, over a socket"] as const).flatMap(
    (framework) => [
      { framework, warmUp, ...unpaid },
      { framework, ...verified },
      { framework, warmUp, ...notVerified }
    ]
  ),
  ...(["hono, over a socket", "express, over a socket"] as const).map((framework) => ({
    framework,
    warmUp,
    ...overHttp
  }))
]

interface Rates {
  readonly ours: number
  readonly official: number
}

/** Each row in a process of its own, so that none is measured among the leavings of another. */
const measureApart = (index: number): Promise<Rates> =>
  new Promise((resolve, reject) => {
    fork(import.meta.filename, [String(index)], { execArgv: process.execArgv })
      .once("message", (rates) => resolve(rates as Rates))
      .once("exit", (code) => reject(new Error(`a row ended with ${code}`)))
  })

const printAll = async (): Promise<void> => {
  console.log(
    `Till402 against @x402/hono and @x402/express; over a socket: from two other processes; Node ${process.version}`
  )
  console.log(`median of ${rounds} rounds, ${allAtOnce} requests at a time, in requests per second\n`)
  console.log(`${"".padEnd(52)}${"Till402".padStart(10)}${"official".padStart(10)}${"ratio".padStart(8)}`)
  for (const [index, { framework, name }] of rows.entries()) {
    const { official, ours } = await measureApart(index)
    const cells = [ours.toFixed(0).padStart(10), official.toFixed(0).padStart(10)]
    console.log(
      `${`${framework}: ${name}`.padEnd(52)}${cells.join("")}${(ours / official).toFixed(2).padStart(8)}`
    )
  }
}

const [index] = process.argv.slice(2)
if (index === undefined) await printAll()
else {
  process.send!(await measure(rows[Number(index)]!))
  process.disconnect()
}
