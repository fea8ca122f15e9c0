/*
 * The demo: an official x402 client pays all seven routes on a local chain, one order is delivered, another
 * is refunded, and the balances are checked. Exits with 1 if they don't add up.
 */
import type { TillEvent } from "@till402/core"
import { exitCodeOf, onInterrupt } from "../Interrupt.ts"
import { payingFetch } from "../payingFetch.ts"
import { type Sandbox, startSandbox } from "../Sandbox.ts"
import { defaultTimetable } from "../shop/index.ts"
import { dollars, makeProgress, paintFor } from "../Terminal.ts"
import { balanceLines, ledgerOf, movedBy } from "./Balances.ts"
import { payingCalls } from "./Calls.ts"
import { type OrderStage, showDelivery, showRefund } from "./OrderStory.ts"
import { orderWatch } from "./OrderWatch.ts"
import { makeTable } from "./Table.ts"
import { type Download, observedCalls, runTour } from "./Tour.ts"

const startedAt = performance.now()
const paint = paintFor(process.stdout)
const progress = makeProgress()
const watch = orderWatch()
/** Events of the till, e.g. a refused order. Printed if the demo fails. */
const events: Array<TillEvent> = []
/** How far the shop's clock is ahead, so that the demo need not wait for parcels. */
let aheadMillis = 0

const print = (...lines: ReadonlyArray<string>): void => {
  progress.clear()
  process.stdout.write(`${lines.join("\n")}\n`)
}

const printDownload = ({ entries, file }: Download): void => {
  print("", `The archive is at ${file}:`)
  print(...entries.map(({ bytes, name }) => `  ${String(bytes).padStart(6)} bytes  ${name}`))
}

/** Runs the tour, follows two orders, and prints everything; returns whether the balances are correct. */
const show = async ({ baseUrl, chain, payTo, till, wallets }: Sandbox): Promise<boolean> => {
  const [wallet] = wallets
  if (wallet === undefined) throw new Error("The sandbox has no wallet.")
  const sides = { payer: wallet.address, payee: payTo }
  const ledger = ledgerOf(chain, sides)
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined
  const table = makeTable(paint, columns)
  const before = await ledger.now()
  let sum = 0n
  const go = observedCalls(
    payingCalls(baseUrl, (base) => payingFetch(wallet.privateKey, 1_000, base)),
    {
      // Without a terminal, a progress line per call would only repeat the table.
      onCall: (method, path) => process.stderr.isTTY && progress.show(`paying ${method} ${path}`),
      onPaid: (visit) => {
        sum += visit.priceAtomic
        print(table.row(visit))
      }
    }
  )
  print(paint.bold(`Till402 at ${baseUrl}, paid by @x402/fetch in USDC on a local chain`), "", table.heading)
  const { download, orderId } = await runTour(go)
  printDownload(download)

  const stage: OrderStage = { till, watch, go, print, paint, columns }
  print(
    "",
    paint.bold("The first order is delivered (the shop's clock is advanced), and its parcel is tracked")
  )
  await showDelivery(stage, orderId, defaultTimetable, (millis) => {
    aheadMillis += millis
  })
  print("", paint.bold("Another order sells out after payment and is refunded"))
  const { agrees, refundedAtomic } = await showRefund(stage, ledger)

  const after = await ledger.now()
  const agree = agrees && movedBy(before, after, sum - refundedAtomic)
  print(
    "",
    `total of prices ${paint.bold(dollars(sum))} USDC, refunded ${paint.bold(dollars(refundedAtomic))} USDC`,
    ...balanceLines([before, after], (who) => {
      const moved = who === "payer" ? before.payer - after.payer : after.payee - before.payee
      return `${who === "payer" ? "-" : "+"}${dollars(moved)} USDC  ${paint.dim(sides[who])}`
    })
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(
    agree
      ? paint.green(`The balances add up to the atomic unit. ${seconds} s.`)
      : paint.red("The balances do NOT match the total of the prices minus the refund.")
  )
  return agree
}

const main = async (): Promise<boolean> => {
  const starting = startSandbox({
    walletCount: 1,
    shop: { now: () => new Date(Date.now() + aheadMillis) },
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
    return await show(sandbox)
  } finally {
    progress.clear()
    await sandbox.stop()
  }
}

const fail = (): void => {
  process.exitCode = 1
  for (const event of events) process.stderr.write(`${JSON.stringify(event)}\n`)
}

main().then(
  (agree) => {
    if (!agree) fail()
  },
  (error: unknown) => {
    progress.clear()
    console.error(paint.red("The demo failed:"), error)
    fail()
  }
)
