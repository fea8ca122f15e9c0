/*
 * The demo: an unmodified official x402 client pays all seven routes on a local chain, and the balances
 * have to add up. Exits with 1 where they don't.
 */
import { exitCodeOf, onInterrupt } from "../Interrupt.ts"
import { payingFetch } from "../payingFetch.ts"
import { type Sandbox, startSandbox } from "../Sandbox.ts"
import { dollars, makeProgress, paintFor } from "../Terminal.ts"
import { payingCalls } from "./Calls.ts"
import { makeTable } from "./Table.ts"
import { tour } from "./Tour.ts"

const startedAt = performance.now()
const paint = paintFor(process.stdout)
const progress = makeProgress()

const print = (...lines: ReadonlyArray<string>): void => {
  progress.clear()
  process.stdout.write(`${lines.join("\n")}\n`)
}

interface Balances {
  readonly payer: bigint
  readonly payee: bigint
}

/** Takes the tour and prints it; answers whether the balances moved by the sum of the prices. */
const show = async ({ baseUrl, chain, payTo, wallets }: Sandbox): Promise<boolean> => {
  const [wallet] = wallets
  if (wallet === undefined) throw new Error("The sandbox has no wallet.")
  const readBalances = async (): Promise<Balances> => ({
    payer: await chain.balanceOf(wallet.address),
    payee: await chain.balanceOf(payTo)
  })
  const table = makeTable(paint, process.stdout.isTTY ? process.stdout.columns : undefined)
  const before = await readBalances()
  let sum = 0n
  print(paint.bold(`Till402 at ${baseUrl}, paid by @x402/fetch in USDC on a local chain`), "", table.heading)
  const download = await tour(
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
  const after = await readBalances()
  const agree = before.payer - after.payer === sum && after.payee - before.payee === sum
  print("", `The archive is at ${download.file}:`)
  print(...download.entries.map(({ bytes, name }) => `  ${String(bytes).padStart(6)} bytes  ${name}`))
  print("", ...balanceLines(before, after, sum, { payer: wallet.address, payee: payTo }))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  print(
    agree
      ? paint.green(`The balances add up to the atomic unit. ${seconds} s.`)
      : paint.red("The balances do NOT add up to the sum of the prices.")
  )
  return agree
}

const balanceLines = (
  before: Balances,
  after: Balances,
  sum: bigint,
  addresses: Readonly<Record<keyof Balances, string>>
): ReadonlyArray<string> => {
  const amount = (atomic: bigint) => dollars(atomic).padStart(10)
  const line = (who: keyof Balances, sign: string, moved: bigint) =>
    `${who}  ${amount(before[who])} → ${amount(after[who])}  ${sign}${dollars(moved)} USDC  ${paint.dim(addresses[who])}`
  return [
    `sum of prices ${paint.bold(dollars(sum))} USDC`,
    line("payer", "-", before.payer - after.payer),
    line("payee", "+", after.payee - before.payee)
  ]
}

const main = async (): Promise<boolean> => {
  const starting = startSandbox({
    walletCount: 1,
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

main().then(
  (agree) => {
    process.exitCode = agree ? 0 : 1
  },
  (error: unknown) => {
    progress.clear()
    console.error(paint.red("The demo failed:"), error)
    process.exitCode = 1
  }
)
