/*
 * The demo: an unmodified official x402 client pays all seven routes on a local chain, and the balances
 * have to add up. Exits with 1 where they don't.
 */
import { payingFetch } from "../payingFetch.ts"
import { startSandbox } from "../Sandbox.ts"
import { dollars, makeProgress, paintFor, shortHash } from "./table.ts"
import { recordingFetch, tour, type Visit } from "./tour.ts"

const paint = paintFor(process.stdout)
const progress = makeProgress(paintFor(process.stderr))
const started = performance.now()

const columns = (visit: Visit, hash: string) =>
  `${visit.method.padEnd(4)} ${visit.path.padEnd(68)} ${dollars(visit.priceAtomic).padStart(8)}  ${hash}  ${visit.gist}`

const heading = (hashWidth: number): string =>
  `${"call".padEnd(73)} ${"USDC".padStart(8)}  ${"transaction".padEnd(hashWidth)}  answer`

const main = async (): Promise<boolean> => {
  const sandbox = await startSandbox({
    onProgress: (words) => progress.say(`starting ${words}`),
    walletCount: 1
  })
  try {
    progress.clear()
    const wallet = sandbox.wallets[0]!
    const balances = async () => ({
      payer: await sandbox.chain.balanceOf(wallet.address),
      payee: await sandbox.chain.balanceOf(sandbox.payTo)
    })
    const before = await balances()
    const sample = shortHash(`0x${"0".repeat(64)}`, process.stdout)
    process.stdout.write(
      `${paint.bold(`Till402 at ${sandbox.baseUrl}, paid by @x402/fetch in USDC on a local chain`)}\n\n`
    )
    process.stdout.write(`${paint.dim(heading(sample.length))}\n`)
    const call = recordingFetch((base) => payingFetch(wallet.privateKey, 1_000, base), sandbox.baseUrl)
    const visits = await tour(call, sandbox, (visit) => {
      process.stdout.write(`${columns(visit, paint.cyan(shortHash(visit.transaction, process.stdout)))}\n`)
    })
    const after = await balances()
    const spent = visits.reduce((sum, { priceAtomic }) => sum + priceAtomic, 0n)
    const agree = before.payer - after.payer === spent && after.payee - before.payee === spent
    process.stdout.write(
      [
        "",
        `${"sum of prices".padEnd(16)} ${dollars(spent).padStart(12)}`,
        `${"payer".padEnd(16)} ${dollars(before.payer).padStart(12)} → ${dollars(after.payer).padStart(12)}   ${wallet.address}`,
        `${"payee".padEnd(16)} ${dollars(before.payee).padStart(12)} → ${dollars(after.payee).padStart(12)}   ${sandbox.payTo}`,
        agree
          ? paint.green(
              `The balances add up to the atomic unit. ${((performance.now() - started) / 1000).toFixed(1)} s.`
            )
          : paint.red("The balances do NOT add up."),
        ""
      ].join("\n")
    )
    return agree
  } finally {
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
