/*
 * The demo: official x402 clients pay all seven routes on a local EVM chain and on a local Solana chain. On each, one
 * order is delivered, another is refunded, and the balances are checked. Exits with 1 if they don't add up.
 */
import { parseArgs } from "node:util"
import type { TillEvent } from "@till402/core"
import { exitCodeOf, onInterrupt } from "../Interrupt.ts"
import {
  type AnySandbox,
  type NetworkChoice,
  readNetworkChoice,
  startOn,
  wrongNetwork
} from "../NetworkChoice.ts"
import type { Timetable } from "../shop/index.ts"
import { columnsOf, dollars, makeProgress, paintFor, shorten } from "../Terminal.ts"
import { balanceLines, movedBy } from "./Balances.ts"
import { payingCalls } from "./Calls.ts"
import { type OrderStage, showDelivery, showRefund } from "./OrderStory.ts"
import { orderWatch } from "./OrderWatch.ts"
import { type DemoRail, railsOf } from "./Rail.ts"
import { makeTable } from "./Table.ts"
import { type Download, observedCalls, runTour } from "./Tour.ts"
import { showResumedDownload } from "./VaultStory.ts"

const startedAt = performance.now()
const paint = paintFor(process.stdout)
const progress = makeProgress()
const watch = orderWatch()
/** Events of the till, e.g. a refused order. Printed if the demo fails. */
const events: Array<TillEvent> = []
/** How far the shop's clock is ahead, so that the demo need not wait for parcels. */
let aheadMillis = 0
/** So long that an order changes only when the demo advances the clock, on however slow a machine. */
const timetable: Required<Timetable> = { shippedAfterMillis: 3_600_000, deliveredAfterMillis: 7_200_000 }

const print = (...lines: ReadonlyArray<string>): void => {
  progress.clear()
  process.stdout.write(`${lines.join("\n")}\n`)
}

const printDownload = ({ entries, file }: Download): void => {
  print("", `The archive is at ${file}:`)
  print(...entries.map(({ bytes, name }) => `  ${String(bytes).padStart(6)} bytes  ${name}`))
}

/** Runs the tour on one network, follows two orders, and prints everything; returns whether the balances are correct. */
const show = async (
  { archives, baseUrl, till }: AnySandbox,
  { ledger, name, pay, sides }: DemoRail
): Promise<boolean> => {
  const columns = columnsOf(process.stdout)
  const table = makeTable(paint, columns)
  const before = await ledger.now()
  let sum = 0n
  const go = observedCalls(payingCalls(baseUrl, pay), {
    // Without a terminal, a progress line per call would only repeat the table.
    onCall: (method, path) => process.stderr.isTTY && progress.show(`paying ${method} ${path}`),
    onPaid: (visit) => {
      sum += visit.priceAtomic
      print(table.row(visit))
    }
  })
  print(paint.bold(`Till402 at ${baseUrl}`), `paid by @x402/fetch, in USDC on ${name}`, "", table.heading)
  const { download, orderId } = await runTour(go)
  printDownload(download)

  print("", paint.bold("A folder is published and sold; its download is interrupted and resumed"))
  const arrived = await showResumedDownload({ till, archives, baseUrl, go, print })

  const stage: OrderStage = { till, watch, go, print, paint, columns }
  print("", paint.bold("The first order is delivered (by a faster clock), and its parcel is tracked"))
  await showDelivery(stage, orderId, timetable, (millis) => {
    aheadMillis += millis
  })
  print("", paint.bold("Another order sells out after payment and is refunded"))
  const { agrees, refundedAtomic } = await showRefund(stage, ledger)

  const after = await ledger.now()
  const agree = agrees && arrived && movedBy(before, after, sum - refundedAtomic)
  print(
    "",
    `total of prices ${paint.bold(dollars(sum))} USDC, refunded ${paint.bold(dollars(refundedAtomic))} USDC`,
    ...balanceLines([before, after], (who) => {
      const moved = who === "payer" ? before.payer - after.payer : after.payee - before.payee
      return `${who === "payer" ? "-" : "+"}${dollars(moved)} USDC  ${paint.dim(shorten(sides[who]))}`
    })
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(
    agree
      ? paint.green(`The balances add up to the atomic unit. ${seconds} s.`)
      : paint.red(
          "The balances do NOT match the total of the prices minus the refund, or the download differs."
        )
  )
  return agree
}

const usage = `Usage: npm run demo -- [options]

  --network both|base-sepolia|solana   networks to pay on (default both)
  --help                               this text
`

/** The networks to pay on; `undefined` after a usage message. */
const readNetwork = (): NetworkChoice | undefined => {
  const explain = (message: string): undefined => {
    process.stderr.write(`${message}\n\n${usage}`)
    process.exitCode = 2
  }
  try {
    const { values } = parseArgs({
      options: {
        network: { type: "string", default: "both" },
        help: { type: "boolean", short: "h", default: false }
      }
    })
    if (values.help) {
      process.stdout.write(usage)
      return undefined
    }
    return readNetworkChoice(values.network) ?? explain(wrongNetwork(values.network))
  } catch (error) {
    return explain(error instanceof Error ? error.message : String(error))
  }
}

const main = async (network: NetworkChoice): Promise<boolean> => {
  const starting = startOn(network, {
    walletCount: 1,
    shop: { now: () => new Date(Date.now() + aheadMillis), timetable },
    onOrderChange: watch.onOrderChange,
    onEvent: (event) => events.push(event),
    onProgress: (part) => progress.show(`starting ${part}`)
  })
  onInterrupt(async (signal) => {
    progress.clear()
    const sandbox = await starting.catch(() => undefined)
    await sandbox?.stop()
    return exitCodeOf(signal)
  })
  const sandbox = await starting
  try {
    let agree = true
    for (const [index, rail] of (await railsOf(sandbox)).entries()) {
      if (index > 0) print("")
      agree = (await show(sandbox, rail)) && agree
    }
    return agree
  } finally {
    progress.clear()
    await sandbox.stop()
  }
}

const fail = (): void => {
  process.exitCode = 1
  for (const event of events) process.stderr.write(`${JSON.stringify(event)}\n`)
}

const network = readNetwork()
if (network !== undefined) {
  main(network).then(
    (agree) => {
      if (!agree) fail()
    },
    (error: unknown) => {
      progress.clear()
      console.error(paint.red("The demo failed:"), error)
      fail()
    }
  )
}
