/*
 * Ours against the official middleware, in one run on one machine: requests per second, and their
 * ratio. Every paid request carries a payment of its own, made beforehand.
 *
 *   npm run bench
 */
import { fork } from "node:child_process"
import { load, type Make, median, paidHeaders } from "./load.ts"
import { signedPayments, walletPayments } from "./payments.ts"
import { concurrency } from "./sending.ts"
import { contenders } from "./servers.ts"

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
  readonly verified?: boolean
  /** Calls that are not counted, before the first round. */
  readonly warmUp?: number
}

const measure = async ({
  count,
  framework,
  make,
  status,
  verified = false,
  warmUp = 0
}: Row): Promise<Rates> => {
  const both = [await contenders[framework].ours(), await contenders[framework].official(verified)] as const
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
  }
  return { ours: median(rates[0]), official: median(rates[1]) }
}

const rows: ReadonlyArray<Row> = (["hono", "hono, a host's route", "express"] as const).flatMap(
  (framework) => [
    { name: "unpaid 402", framework, count: 6000, status: 402, warmUp: warmUpCalls },
    {
      name: "paid, signature verified",
      framework,
      count: 600,
      status: 200,
      make: signedPayments,
      verified: true
    },
    {
      name: "paid, signature not verified",
      framework,
      count: 6000,
      status: 200,
      make: walletPayments,
      warmUp: warmUpCalls
    }
  ]
)

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
    `Till402 against @x402/hono (in process) and @x402/express (over a socket to another process), Node ${process.version}`
  )
  console.log(`median of ${rounds} rounds, ${concurrency} requests at a time, in requests per second\n`)
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
