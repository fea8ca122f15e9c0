import { Money } from "@till402/core/effect"
import { paymentReader } from "@till402/testing/payer"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import type { Output } from "../terminal/Output.ts"
import { labelled } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import { type Account, openAccount } from "./Account.ts"
import { balanceOf } from "./Balance.ts"
import { judgeOffer, type Offer, type OfferVerdict, priceOf, readOffer, type Terms } from "./Offers.ts"
import type { Wallet } from "./Wallet.ts"

export interface PayOptions extends Omit<Terms, "families"> {
  readonly url: URL
  readonly init: { readonly method: string; readonly headers: Headers; readonly body: string | undefined }
  readonly wallets: () => Promise<ReadonlyArray<Wallet>>
  /** Shows the price, and pays nothing. */
  readonly dryRun: boolean
  readonly rpcUrl: string | undefined
  /** Waits between two requests with the same payment. */
  readonly sleep: (millis: number) => Promise<void>
}

/** The outcome of a call. */
export interface Paid {
  readonly response: Response
  /** Absent where the server asks for no payment. */
  readonly payment?: {
    /** Whether it was sent; not with `dryRun`. */
    readonly isSent: boolean
    readonly offer: Offer
    readonly address: string
    readonly transaction: string | undefined
    readonly balanceAtomic: bigint | undefined
  }
}

/** A server may take this long: an assistant's reply does. */
const callTimeoutMillis = 90_000

const send = async ({ init, url }: PayOptions, more: Readonly<Record<string, string>> = {}) => {
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(more)) headers.set(name, value)
  return fetch(url, {
    method: init.method,
    headers,
    // Otherwise a payment would go to whoever the server names.
    redirect: "manual",
    signal: AbortSignal.timeout(callTimeoutMillis),
    ...(init.body === undefined ? {} : { body: init.body })
  })
}

type Challenge = ReturnType<typeof paymentReader.getPaymentRequiredResponse>

const readChallenge = async (response: Response): Promise<Challenge> => {
  const text = await response.text()
  try {
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      // Version 2 has all in its header.
    }
    const challenge = paymentReader.getPaymentRequiredResponse((name) => response.headers.get(name), body)
    if (!Array.isArray(challenge.accepts)) throw new Error("it has no list of ways to pay")
    return challenge
  } catch (error) {
    throw new CommandFailed(
      `the server returned 402 without x402's PAYMENT-REQUIRED header or body (${wordsOf(error)}): a proxy may have dropped it. till402 doctor looks for that`
    )
  }
}

type Payable = Extract<OfferVerdict, { readonly _tag: "Payable" }>

interface Chosen extends Payable {
  readonly account: Account
  /** `undefined` where it can't be read. */
  readonly balanceAtomic: bigint | undefined
  readonly balanceFault?: string
}

const withBalance = async (
  verdict: Payable,
  account: Account,
  { rpcUrl }: Pick<PayOptions, "rpcUrl">
): Promise<Chosen> => {
  const { address, wallet } = account
  try {
    const { network, networkName, requirements } = verdict.offer
    const token = { asset: requirements.asset, network, networkName }
    const balanceAtomic = await balanceOf(token, address, rpcUrl ?? wallet.rpcUrl)
    return { ...verdict, account, balanceAtomic }
  } catch (error) {
    return { ...verdict, account, balanceAtomic: undefined, balanceFault: wordsOf(error).split("\n")[0]! }
  }
}

const refusalOf = (
  refused: ReadonlyArray<{ readonly offer: Offer; readonly reason: string }>
): CommandFailed =>
  new CommandFailed(
    [
      "Nothing was paid: this wallet pays none of what the server offers.",
      ...refused.map(({ offer, reason }) => `- ${priceOf(offer)} on ${offer.networkName}: ${reason}`)
    ].join("\n")
  )

/** The first offer that a wallet pays and can pay; fails with the reason of each. */
const choose = async (
  offers: ReadonlyArray<Offer>,
  options: PayOptions,
  wallets: ReadonlyArray<Wallet>
): Promise<Chosen> => {
  const { maxAtomic, rpcUrl, tokens } = options
  const terms = { families: wallets.map(({ family }) => family), maxAtomic, tokens }
  const limits = { maxDollars: Number(Money.formatAtomic(maxAtomic)), tokens, rpcUrl }
  const refused: Array<{ readonly offer: Offer; readonly reason: string }> = []
  for (const offer of offers) {
    const verdict = judgeOffer(offer, terms)
    const wallet = wallets.find(({ family }) => family === offer.network?.family)
    if (verdict._tag === "Refused" || wallet === undefined) {
      refused.push({
        offer,
        reason: verdict._tag === "Refused" ? verdict.reason : "there is no wallet for it"
      })
      continue
    }
    const account = await openAccount(wallet, limits)
    const chosen = await withBalance(verdict, account, options)
    if (chosen.balanceAtomic === undefined || chosen.balanceAtomic >= chosen.amountAtomic) return chosen
    const has = Money.formatAtomic(chosen.balanceAtomic)
    refused.push({ offer, reason: `the wallet ${account.address} has ${has} of it` })
  }
  throw refusalOf(refused)
}

const maxSends = 6
const maxWaitMillis = 20_000
const defaultWaitMillis = 2_000

/** After these, the same payment is sent again: a new one could be paid twice. */
const isUnfinished = (status: number): boolean => [409, 425, 429, 500, 502, 503, 504].includes(status)

const waitOf = (response: Response | undefined): number => {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds * 1_000, maxWaitMillis)
    : defaultWaitMillis
}

/** Sends one payment until its outcome is known, at most six times. */
const sendPayment = async (
  options: PayOptions,
  headers: Readonly<Record<string, string>>,
  output: Output
): Promise<Response> => {
  let fault = ""
  for (let sent = 1; ; sent++) {
    const response = await send(options, headers).catch((error: unknown) => {
      fault = wordsOf(error)
      return undefined
    })
    if (response !== undefined && !isUnfinished(response.status)) return response
    if (sent === maxSends) {
      if (response !== undefined) return response
      throw new CommandFailed(
        `the payment was sent, and its outcome isn't known: ${fault}. It may still be settled: look at the wallet's transfers before you pay again`
      )
    }
    await response?.body?.cancel()
    const waitMillis = waitOf(response)
    const seconds = Math.round(waitMillis / 1_000)
    output.note(
      `${response === undefined ? fault : `the server returned ${response.status}`}: the same payment is sent again in ${seconds} s`
    )
    await options.sleep(waitMillis)
  }
}

const transactionOf = (response: Response): string | undefined => {
  try {
    return paymentReader.getPaymentSettleResponse((name) => response.headers.get(name)).transaction
  } catch {
    // A refused call has no receipt.
    return undefined
  }
}

/** Why a paid call got a 402 again, in the server's words. */
const refusalText = async (response: Response): Promise<string> => {
  const { error } = await readChallenge(response)
  return `the server refused the payment: ${harmless(error ?? "it gives no reason")}. Nothing was charged`
}

const describe = ({ account, offer }: Chosen, output: Output): void => {
  const { address, wallet } = account
  const lines = [
    ...labelled("price", `${priceOf(offer)} on ${offer.networkName}, to ${offer.requirements.payTo}`),
    ...labelled("wallet", `${address}, of ${wallet.source}`)
  ]
  for (const line of lines) output.note(line)
}

const describeBalance = ({ balanceAtomic, balanceFault, offer }: Chosen, output: Output): void => {
  const text =
    balanceAtomic === undefined
      ? `not known: ${harmless(balanceFault ?? "the node doesn't respond")}; --rpc gives another node`
      : `${Money.formatAtomic(balanceAtomic)} on ${offer.networkName}`
  for (const line of labelled("balance", text)) output.note(line)
}

/** A response that asks for nothing. */
const free = (response: Response, output: Output): Paid => {
  const place = response.headers.get("location")
  output.note(
    `the server returned ${response.status} without asking for a payment${place === null ? "" : `, and names ${harmless(place)}: call that`}`
  )
  return { response }
}

/** Calls a server, and pays its 402. Notes price, receipt and balance. */
export const pay = async (options: PayOptions, output: Output): Promise<Paid> => {
  const unpaid = await send(options).catch((error: unknown) => {
    throw new CommandFailed(`${options.url.origin} can't be reached: ${wordsOf(error)}`)
  })
  if (unpaid.status !== 402) return free(unpaid, output)
  const challenge = await readChallenge(unpaid)
  const offers = challenge.accepts.map((each) => readOffer(each))
  const chosen = await choose(offers, options, await options.wallets())
  const { account, offer } = chosen
  describe(chosen, output)
  const { address } = account
  if (options.dryRun) {
    describeBalance(chosen, output)
    output.note("nothing was paid: --dry-run")
    const { balanceAtomic } = chosen
    return {
      response: unpaid,
      payment: { isSent: false, offer, address, transaction: undefined, balanceAtomic }
    }
  }
  const accepts = challenge.accepts.filter((_, at) => offers[at] === offer)
  const signed = await account.payer
    .createPaymentPayload({ ...challenge, accepts })
    .catch((error: unknown) => {
      throw new CommandFailed(`Nothing was paid: the client refuses to sign: ${wordsOf(error)}`)
    })
  const response = await sendPayment(options, account.payer.encodePaymentSignatureHeader(signed), output)
  if (response.status === 402) throw new CommandFailed(await refusalText(response))
  const transaction = transactionOf(response)
  const after = await withBalance(chosen, account, options)
  const missing = isUnfinished(response.status)
    ? `not known: the server still returns ${response.status}. It may be settled later: look at the wallet's transfers before you pay again`
    : `the response ${response.status} has no receipt`
  for (const line of labelled("paid", transaction ?? missing)) output.note(line)
  describeBalance(after, output)
  const { balanceAtomic } = after
  return { response, payment: { isSent: true, offer, address, transaction, balanceAtomic } }
}
