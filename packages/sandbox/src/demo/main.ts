/*
 * The demo: an unmodified official x402 client pays all seven routes on a local chain, one order is delivered,
 * another refused and refunded, and the balances have to add up. Exits with 1 where they don't.
 */
import type { TillEvent } from "@till402/core"
import { exitCodeOf, onInterrupt } from "../Interrupt.ts"
import { payingFetch } from "../payingFetch.ts"
import { type Sandbox, startSandbox } from "../Sandbox.ts"
import { defaultTimetable } from "../shop/index.ts"
import { dollars, makeProgress, paintFor } from "../Terminal.ts"
import { balanceLines, ledgerOf, movedBy } from "./Balances.ts"
import { payingCalls } from "./Calls.ts"
import { type Stage, tellDelivery, tellRefund } from "./OrderStory.ts"
import { orderWatch } from "./OrderWatch.ts"
import { makeTable } from "./Table.ts"
import { type Download, guided, tour } from "./Tour.ts"

const startedAt = performance.now()
const paint = paintFor(process.stdout)
const progress = makeProgress()
const watch = orderWatch()
/** What the till told its operator: a refused order, for one. Shown where the demo fails. */
const events: Array<TillEvent> = []
/** How far the shop's clock is ahead of ours: nobody wants to wait for a parcel. */
let aheadMillis = 0

const print = (...lines: ReadonlyArray<string>): void => {
  progress.clear()
  process.stdout.write(`${lines.join("\n")}\n`)
}

const printDownload = ({ entries, file }: Download): void => {
  print("", `The archive is at ${file}:`)
  print(...entries.map(({ bytes, name }) => `  ${String(bytes).padStart(6)} bytes  ${name}`))
}

/** Takes the tour, follows two orders, and prints it all; answers whether the balances moved as they must. */
const show = async ({ baseUrl, chain, payTo, till, wallets }: Sandbox): Promise<boolean> => {
  const [wallet] = wallets
  if (wallet === undefined) throw new Error("The sandbox has no wallet.")
  const sides = { payer: wallet.address, payee: payTo }
  const ledger = ledgerOf(chain, sides)
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined
  const table = makeTable(paint, columns)
  const before = await ledger.now()
  let sum = 0n
  const go = guided(
    payingCalls(baseUrl, (base) => payingFetch(wallet.privateKey, 1_000, base)),
    {
      // A line of its own for each call would only double the table where there is no terminal.
      onCall: (method, path) => process.stderr.isTTY && progress.say(`paying ${method} ${path}`),
      onVisit: (visit) => {
        sum += visit.priceAtomic
        print(table.row(visit))
      }
    }
  )
  print(paint.bold(`Till402 at ${baseUrl}, paid by @x402/fetch in USDC on a local chain`), "", table.heading)
  const { download, orderId } = await tour(go)
  printDownload(download)

  const stage: Stage = { till, watch, go, print, paint, columns }
  print("", paint.bold("The order is delivered (the shop's clock is put forward), its parcel is tracked"))
  await tellDelivery(stage, orderId, defaultTimetable, (millis) => {
    aheadMillis += millis
  })
  print("", paint.bold("Another order sells out after it was paid, and is refunded"))
  const { agrees, refundedAtomic } = await tellRefund(stage, ledger)

  const after = await ledger.now()
  const agree = agrees && movedBy(before, after, sum - refundedAtomic)
  print(
    "",
    `sum of prices ${paint.bold(dollars(sum))} USDC, refunded ${paint.bold(dollars(refundedAtomic))} USDC`,
    ...balanceLines([before, after], (who) => {
      const moved = who === "payer" ? before.payer - after.payer : after.payee - before.payee
      return `${who === "payer" ? "-" : "+"}${dollars(moved)} USDC  ${paint.dim(sides[who])}`
    })
  )
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(
    agree
      ? paint.green(`The balances add up to the atomic unit. ${seconds} s.`)
      : paint.red("The balances do NOT add up to the sum of the prices, less what was refunded.")
  )
  return agree
}

const main = async (): Promise<boolean> => {
  const starting = startSandbox({
    walletCount: 1,
    shop: { now: () => new Date(Date.now() + aheadMillis) },
    onOrderChange: watch.onOrderChange,
    onEvent: (event) => events.push(event),
    onProgress: (words) => progress.say(`starting ${words}`)
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
