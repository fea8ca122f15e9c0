import type { OrderChange } from "@till402/core"
import type { Sandbox } from "../Sandbox.ts"
import { defaultTimetable, sellsOutAsin, trackingNumbers } from "../shop/index.ts"
import { dollars, type Paint } from "../Terminal.ts"

/** The single line of `--json`. Amounts are decimal strings of atomic units. */
export const jsonLine = (sandbox: Sandbox): string =>
  JSON.stringify({
    baseUrl: sandbox.baseUrl,
    adapter: sandbox.adapter,
    chainId: sandbox.chainId,
    network: sandbox.network,
    rpcUrl: sandbox.rpcUrl,
    asset: sandbox.asset,
    payTo: sandbox.payTo,
    facilitatorUrl: sandbox.facilitatorUrl,
    wallets: sandbox.wallets.map(({ address, balanceAtomic, privateKey }) => ({
      address,
      privateKey,
      balanceAtomic: balanceAtomic.toString()
    }))
  })

/** The start page for people: URLs, wallets and commands to try. */
export const startPage = (sandbox: Sandbox, paint: Paint): string => {
  const { baseUrl } = sandbox
  const width = Math.max(...trackingNumbers.map(({ number }) => number.length))
  return [
    paint.bold(`Till402 is up at ${baseUrl}`),
    "",
    `  mounted in   ${sandbox.adapter}`,
    `  chain        ${sandbox.rpcUrl}  (${sandbox.network}, local)`,
    `  USDC         ${sandbox.asset}`,
    `  facilitator  ${sandbox.facilitatorUrl}`,
    `  paid to      ${sandbox.payTo}`,
    "",
    paint.bold("Wallets with test USDC"),
    ...sandbox.wallets.flatMap(({ address, balanceAtomic, privateKey }) => [
      `  ${paint.cyan(address)}  ${dollars(balanceAtomic)} USDC`,
      `  private key ${privateKey}`
    ]),
    "",
    paint.bold("Try"),
    `  curl -i '${baseUrl}/x402/search?q=headphones'`,
    `  curl -i -X POST '${baseUrl}/x402/shop' -H 'content-type: application/json' -d '{"message":"a quiet keyboard"}'`,
    `  curl -i '${baseUrl}/x402/track?number=${trackingNumbers[0]?.number ?? ""}'`,
    `  curl -s '${baseUrl}/openapi.json'`,
    `  curl -s '${baseUrl}/.well-known/x402'`,
    "  Paid routes return 402 with their price; any x402 client can pay it with a key from above.",
    "",
    paint.bold("Orders"),
    `  Orders ship after ${seconds(shippedAfterMillis)} and arrive after ${seconds(deliveredAfterMillis)}; status changes are printed on standard error.`,
    `  ${sellsOutAsin} sells out between payment and order: it is refused and refunded.`,
    "",
    paint.bold("Tracking numbers"),
    ...trackingNumbers.map(({ code, httpStatus, number, satisfiedBy, shows, status }) => {
      const outcome = (httpStatus === 200 ? status : code) ?? ""
      const more = satisfiedBy === undefined ? "" : ` (then add &${query(satisfiedBy)})`
      return `  ${number.padEnd(width)}  ${httpStatus} ${outcome.padEnd(29)}  ${paint.dim(shows + more)}`
    }),
    "",
    paint.dim("Press Ctrl-C to stop everything."),
    ""
  ].join("\n")
}

/** One line for a status change of an order. */
export const orderLine = ({ from, order }: OrderChange, paint: Paint): string => {
  const { id, reason, shipments, status } = order
  const parcels = status === "shipped" ? shipments : []
  const parcelNumbers = parcels.map(({ carrier = "", trackingNumber }) =>
    `${carrier} ${trackingNumber}`.trim()
  )
  return [
    `order ${id}`,
    `${from} → ${paint.bold(status)}`,
    ...(reason === undefined ? [] : [paint.dim(reason)]),
    ...parcelNumbers.map(paint.dim)
  ].join("  ")
}

const { deliveredAfterMillis, shippedAfterMillis } = defaultTimetable
const seconds = (millis: number): string => `${millis / 1_000} s`

const query = (fields: object): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()
