/*
 * The sandbox, kept up for curl and agents.
 */
import { makeProgress, paintFor, dollars } from "../demo/table.ts"
import { type Sandbox, startSandbox } from "../Sandbox.ts"
import { trackingNumbers } from "../shop/index.ts"
import { type Arguments, parseArguments, usage } from "./arguments.ts"

const paint = paintFor(process.stdout)
const progress = makeProgress(paintFor(process.stderr))

/** The one line of `--json`. */
const toJson = ({
  adapter,
  asset,
  baseUrl,
  chainId,
  facilitatorUrl,
  network,
  payTo,
  rpcUrl,
  wallets
}: Sandbox): string =>
  JSON.stringify({
    baseUrl,
    adapter,
    chainId,
    network,
    rpcUrl,
    asset,
    payTo,
    facilitatorUrl,
    wallets: wallets.map(({ address, balanceAtomic, privateKey }) => ({
      address,
      privateKey,
      balanceAtomic: balanceAtomic.toString()
    }))
  })

const toPage = (sandbox: Sandbox): string => {
  const { adapter, baseUrl, facilitatorUrl, payTo, rpcUrl, wallets } = sandbox
  return [
    paint.bold(`Till402 is up at ${baseUrl} (${adapter})`),
    "",
    `  chain        ${rpcUrl} (84532, USDC at ${sandbox.asset})`,
    `  facilitator  ${facilitatorUrl}`,
    `  paid to      ${payTo}`,
    "",
    paint.bold("Wallets with test USDC"),
    ...wallets.map(
      ({ address, balanceAtomic, privateKey }) =>
        `  ${address}  ${dollars(balanceAtomic)} USDC  key ${privateKey}`
    ),
    "",
    paint.bold("Try"),
    `  curl -i '${baseUrl}/x402/search?q=headphones'`,
    `  curl -s '${baseUrl}/openapi.json'`,
    `  curl -s '${baseUrl}/.well-known/x402'`,
    "",
    paint.bold("Tracking numbers"),
    ...trackingNumbers.map(
      ({ httpStatus, number, shows }) => `  ${number.padEnd(24)} ${httpStatus}  ${shows}`
    ),
    "",
    paint.dim("Ctrl-C stops all of it."),
    ""
  ].join("\n")
}

const run = async ({ adapter, json, port }: Arguments): Promise<void> => {
  const starting = startSandbox({ adapter, port, onProgress: (words) => progress.say(`starting ${words}`) })
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    progress.clear()
    starting
      .then((sandbox) => sandbox.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        }
      )
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)
  const sandbox = await starting
  progress.clear()
  process.stdout.write(json ? `${toJson(sandbox)}\n` : toPage(sandbox))
}

const explain = (error: unknown, port: number): string => {
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    return `Port ${port} is in use; choose another with --port, or 0 for a free one.`
  }
  return `The sandbox could not start: ${error instanceof Error ? error.message : String(error)}`
}

const parsed = parseArguments(process.argv.slice(2))
switch (parsed._tag) {
  case "Help":
    process.stdout.write(usage)
    break
  case "Wrong":
    process.stderr.write(`${parsed.message}\n\n${usage}`)
    process.exitCode = 2
    break
  case "Run":
    run(parsed.options).catch((error: unknown) => {
      progress.clear()
      console.error(explain(error, parsed.options.port))
      process.exit(1)
    })
}
