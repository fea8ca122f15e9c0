import type { OrderChange, PaymentCode, PaymentEvent } from "@till402/core"
import { type AnySandbox, isOnEvm } from "../NetworkChoice.ts"
import { defaultTimetable, sellsOutAsin, trackingNumbers } from "../shop/index.ts"
import type { SolanaRail } from "../solana/SolanaRail.ts"
import { cut, dollars, type Paint, wrap } from "../Terminal.ts"

/** The single line of `--json`. Amounts are decimal strings of atomic units. */
export const jsonLine = (sandbox: AnySandbox): string => {
  const { adapter, baseUrl, facilitatorUrl } = sandbox
  return JSON.stringify({
    baseUrl,
    adapter,
    ...(isOnEvm(sandbox)
      ? {
          chainId: sandbox.chainId,
          network: sandbox.network,
          rpcUrl: sandbox.rpcUrl,
          asset: sandbox.asset,
          payTo: sandbox.payTo
        }
      : {}),
    facilitatorUrl,
    ...(isOnEvm(sandbox)
      ? {
          wallets: sandbox.wallets.map(({ address, balanceAtomic, privateKey }) => ({
            address,
            privateKey,
            balanceAtomic: balanceAtomic.toString()
          }))
        }
      : {}),
    ...(sandbox.solana === undefined ? {} : { solana: solanaJson(sandbox.solana) })
  })
}

const solanaJson = ({ asset, network, payTo, rpcUrl, wallets }: SolanaRail) => ({
  network,
  rpcUrl,
  asset,
  payTo,
  wallets: wallets.map(({ address, balanceAtomic, secretKey }) => ({
    address,
    secretKey,
    balanceAtomic: balanceAtomic.toString()
  }))
})

/** The addresses of one network. */
const railLines = ({
  asset,
  network,
  payTo,
  rpcUrl
}: Pick<SolanaRail, "network" | "rpcUrl"> & {
  readonly asset: string
  readonly payTo: string
}): ReadonlyArray<string> => [
  `  network      ${network}`,
  `  its chain    ${rpcUrl}  (local)`,
  `  USDC         ${asset}`,
  `  paid to      ${payTo}`
]

/** The wallets of all networks. */
const walletLines = (sandbox: AnySandbox, paint: Paint): ReadonlyArray<string> => {
  const line = (address: string, balanceAtomic: bigint): string =>
    `  ${paint.cyan(address)}  ${dollars(balanceAtomic)} USDC`
  return [
    ...(isOnEvm(sandbox) ? sandbox.wallets : []).flatMap(({ address, balanceAtomic, privateKey }) => [
      line(address, balanceAtomic),
      `  private key ${privateKey}`
    ]),
    ...(sandbox.solana?.wallets ?? []).flatMap(({ address, balanceAtomic, secretKey }) => [
      line(address, balanceAtomic),
      // Longer than a line of 80 columns, and copied as a whole.
      `  secret key`,
      secretKey
    ])
  ]
}

const lineWidth = 80

/** A text below a heading, in lines of at most 80 columns. */
const indented = (text: string, columns = 2): ReadonlyArray<string> =>
  wrap(text, lineWidth - columns, 9).map((line) => `${" ".repeat(columns)}${line}`)

const trackingLines = (paint: Paint): ReadonlyArray<string> => {
  const columns = Math.max(...trackingNumbers.map(({ number }) => number.length)) + 4
  return trackingNumbers.flatMap(({ code, httpStatus, number, satisfiedBy, shows, status }) => {
    const more = satisfiedBy === undefined ? "" : ` (then add &${query(satisfiedBy)})`
    const outcome = `${httpStatus} ${(httpStatus === 200 ? status : code) ?? ""}`
    const [first = "", ...others] = indented(`${outcome}  ${shows}${more}`, columns)
    const end = columns + outcome.length
    return [
      `  ${number}`.padEnd(columns) + first.slice(columns, end) + paint.dim(first.slice(end)),
      ...others.map(paint.dim)
    ]
  })
}

/** The start page for people: URLs, wallets and commands to try, in lines of at most 80 columns. */
export const startPage = (sandbox: AnySandbox, paint: Paint): string => {
  const { baseUrl } = sandbox
  return [
    paint.bold(`Till402 is up at ${baseUrl}`),
    "  Open it in a browser: each call and payment is shown there as it happens.",
    "",
    `  mounted in   ${sandbox.adapter}`,
    `  facilitator  ${sandbox.facilitatorUrl}`,
    ...(isOnEvm(sandbox) ? railLines(sandbox) : []),
    ...(sandbox.solana === undefined ? [] : railLines(sandbox.solana)),
    "",
    paint.bold("Wallets with test USDC"),
    ...walletLines(sandbox, paint),
    "",
    paint.bold("Try"),
    `  curl -i '${baseUrl}/x402/search?q=headphones'`,
    `  curl -i '${baseUrl}/x402/shop' \\`,
    `    -H 'content-type: application/json' -d '{"message":"a quiet keyboard"}'`,
    `  curl -i '${baseUrl}/x402/track?number=${trackingNumbers[0]?.number ?? ""}'`,
    `  curl -s '${baseUrl}/openapi.json'`,
    `  curl -s '${baseUrl}/.well-known/x402'`,
    ...indented("Paid routes return 402 with their price; any x402 client can pay it with a key from above."),
    "",
    paint.bold("Orders"),
    ...indented(
      `Orders ship after ${seconds(shippedAfterMillis)} and arrive after ${seconds(deliveredAfterMillis)}; status changes are printed on standard error.`
    ),
    ...indented(`${sellsOutAsin} sells out between payment and order: it is refused and refunded.`),
    "",
    paint.bold("Tracking numbers"),
    ...trackingLines(paint),
    "",
    paint.dim("Press Ctrl-C to stop everything."),
    ""
  ].join("\n")
}

const paymentWords: Readonly<Record<PaymentCode, string>> = {
  payment_required: "402 sent",
  payment_paid: "paid",
  payment_replayed: "replayed",
  payment_refused: "refused",
  payment_failed: "failed",
  payment_settled: "settled",
  payment_refunded: "refunded"
}

/** The payer of a charge's key, by its ends. */
const payerText = (chargeKey: string | undefined): string => {
  const payer = chargeKey?.split(":")[3]
  return payer === undefined ? "" : `${payer.slice(0, 6)}…${payer.slice(-4)}`
}

/** One line of at most 80 columns for a step of a payment. */
export const paymentLine = (event: PaymentEvent, paint: Paint): string => {
  const { amountAtomic, at, chargeKey, code, durationMillis, operation, reason, transaction } = event
  const isBad = code === "payment_refused" || code === "payment_failed"
  const isGood = code === "payment_paid" || code === "payment_replayed"
  const outcome = paymentWords[code].padEnd(8)
  const head = `${at.toTimeString().slice(0, 8)}  ${operation.padEnd(13)}  `
  const settled = code === "payment_settled" || code === "payment_refunded"
  const rest = [
    amountAtomic === undefined ? "" : `$${dollars(amountAtomic)}`,
    payerText(chargeKey),
    reason ?? (settled ? `${transaction?.slice(0, 12)}…` : ""),
    durationMillis === undefined ? "" : `${durationMillis} ms`
  ].filter((part) => part !== "")
  const tail = cut(rest.join("  "), lineWidth - head.length - outcome.length - 2)
  return `${head}${isBad ? paint.red(outcome) : isGood ? paint.green(outcome) : outcome}  ${paint.dim(tail)}`
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
