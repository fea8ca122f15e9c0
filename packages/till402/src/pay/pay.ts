import { Money } from "@till402/core/effect"
import { paymentReader } from "@till402/testing/payer"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { isUnchargedText, readText } from "../http/see.ts"
import { labelled, type Output } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import { type Account, openAccount } from "./Account.ts"
import { authorizationStateOf, balanceOf } from "./Balance.ts"
import { callOf, keepPayment, type KeptPayment, readPayment } from "./KeptPayment.ts"
import {
  judgeOffer,
  type Offer,
  type OfferVerdict,
  priceFault,
  priceOf,
  readOffer,
  type Terms
} from "./Offers.ts"
import { type Call, sendPayment, sendUnpaid } from "./send.ts"
import { authorizationOf, signedFault } from "./SignedTerms.ts"
import { judgeOutcome, outcomeText } from "./PaymentOutcome.ts"
import type { Wallet } from "./Wallet.ts"

export interface PayOptions extends Omit<Terms, "families">, Call {
  readonly wallets: () => Promise<ReadonlyArray<Wallet>>
  /** Shows the price, and pays nothing. */
  readonly dryRun: boolean
  readonly rpcUrl: string | undefined
  /** Keeps the payment before it is sent; one that is there is sent again, and none is signed. */
  readonly paymentFile: string | undefined
  /** In milliseconds since 1970. */
  readonly now: () => number
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
    /** Keeps the payment, and says how it is sent again. */
    readonly again?: () => Promise<string>
  }
}

type Challenge = ReturnType<typeof paymentReader.getPaymentRequiredResponse>

const readChallenge = async (response: Response): Promise<Challenge> => {
  const text = (await readText(response)) ?? ""
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
      `the server returned 402 without x402's PAYMENT-REQUIRED header or body (${harmless(wordsOf(error))}): a proxy may have dropped it. till402 doctor looks for that`
    )
  }
}

type Payable = Extract<OfferVerdict, { readonly _tag: "Payable" }>

/** `undefined` where it can't be read. */
interface Balance {
  readonly balanceAtomic: bigint | undefined
  readonly balanceFault?: string
}

interface Chosen extends Payable, Balance {
  readonly account: Account
}

const readBalance = async (
  { network, networkName, requirements }: Offer,
  address: string,
  rpcUrl: string | undefined
): Promise<Balance> => {
  try {
    const token = { asset: requirements.asset, network, networkName }
    return { balanceAtomic: await balanceOf(token, address, rpcUrl) }
  } catch (error) {
    return { balanceAtomic: undefined, balanceFault: wordsOf(error).split("\n")[0]! }
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
    const balance = await readBalance(offer, account.address, rpcUrl ?? wallet.rpcUrl)
    const { balanceAtomic } = balance
    if (balanceAtomic === undefined || balanceAtomic >= verdict.amountAtomic)
      return { ...verdict, ...balance, account }
    const has = Money.formatAtomic(balanceAtomic)
    refused.push({ offer, reason: `the wallet ${account.address} has ${has} of it` })
  }
  throw refusalOf(refused)
}

const noteAll = (label: string, text: string, output: Output): void => {
  for (const line of labelled(label, text)) output.note(line)
}

const transactionOf = (response: Response): string | undefined => {
  try {
    const receipt = paymentReader.getPaymentSettleResponse((name) => response.headers.get(name))
    const { transaction } = receipt as { readonly transaction: unknown }
    return typeof transaction === "string" ? transaction : undefined
  } catch {
    // A refused call has no receipt.
    return undefined
  }
}

const describe = (
  { address, offer, source }: { readonly offer: Offer; readonly address: string; readonly source: string },
  output: Output
): void => {
  noteAll("price", `${priceOf(offer)} on ${offer.networkName}, to ${offer.requirements.payTo}`, output)
  noteAll("wallet", `${address}, of ${source}`, output)
}

const describeBalance = (
  { balanceAtomic, balanceFault }: Balance,
  { networkName }: Offer,
  output: Output
): void => {
  const text =
    balanceAtomic === undefined
      ? `not known: ${harmless(balanceFault ?? "the node doesn't respond")}; --rpc gives another node`
      : `${Money.formatAtomic(balanceAtomic)} on ${networkName}`
  noteAll("balance", text, output)
}

/** A response that asks for nothing. */
const free = (response: Response, output: Output): Paid => {
  const place = response.headers.get("location")
  output.note(
    `the server returned ${response.status} without asking for a payment${place === null ? "" : `, and names ${harmless(place)}: call that`}`
  )
  return { response }
}

/** A payment that was signed. */
interface Signed {
  readonly kept: KeptPayment
  readonly offer: Offer
  /** Says how it is sent again, and keeps it in a file if it isn't yet. */
  readonly again: () => Promise<string>
}

const signedOf = (kept: KeptPayment, { paymentFile }: PayOptions): Signed => {
  let file = paymentFile
  return {
    kept,
    offer: readOffer(kept.accepted, kept.x402Version),
    again: async () => {
      file ??= await keepPayment(kept, undefined)
      return `send the same payment again: the same command with --payment ${file}`
    }
  }
}

/** Signs a payment for what was chosen, and nothing else. */
const sign = async (
  challenge: Challenge,
  accepted: Challenge["accepts"][number],
  { account, offer }: Chosen,
  options: PayOptions
): Promise<Signed> => {
  const { address, payer, wallet } = account
  const refuse = (reason: string): never => {
    throw new CommandFailed(`Nothing was paid: ${reason}`)
  }
  const payload = await payer
    .createPaymentPayload({ ...challenge, accepts: [accepted] })
    .catch((error: unknown) => refuse(`the client refuses to sign: ${harmless(wordsOf(error))}`))
  const fault = await signedFault(payload, { address, offer }, options.now())
  if (fault !== undefined) return refuse(fault)
  const { x402Version } = challenge
  const { paymentFile, rpcUrl = wallet.rpcUrl } = options
  const kept = { ...callOf(options), x402Version, accepted, address, rpcUrl, payload }
  if (paymentFile !== undefined) await keepPayment(kept, paymentFile)
  return signedOf(kept, options)
}

/** The server's reason, if it refuses a payment. */
const refusalOf402 = async (response: Response): Promise<string> => {
  try {
    return harmless((await readChallenge(response)).error ?? "it gives no reason")
  } catch (error) {
    return wordsOf(error)
  }
}

/** What is known of a payment that bought nothing, by the server's statement and the chain's state. */
const outcomeOf = async (
  { again, kept, offer }: Signed,
  isDenied: boolean,
  options: PayOptions
): Promise<string> => {
  const { address, payload, rpcUrl } = kept
  const authorization = authorizationOf(payload)
  const { network, networkName, requirements } = offer
  const token = { asset: requirements.asset, network, networkName }
  const state =
    authorization === undefined
      ? undefined
      : await authorizationStateOf(
          token,
          { address, nonce: authorization.nonce },
          options.rpcUrl ?? rpcUrl
        ).catch(() => undefined)
  const validBefore = authorization?.validBefore
  const outcome = judgeOutcome({
    isDenied,
    isUsed: state?.isUsed,
    blockSeconds: state?.blockSeconds,
    validBefore
  })
  const isOpen = outcome._tag !== "Denied" && outcome._tag !== "Expired"
  return outcomeText(outcome, { address, networkName, again: isOpen ? await again() : "" })
}

/** Sends a payment, and notes its outcome. */
const deliver = async (signed: Signed, options: PayOptions, output: Output): Promise<Paid> => {
  const { kept, offer } = signed
  const headers = paymentReader.encodePaymentSignatureHeader(kept.payload)
  const delivery = await sendPayment(options, headers, output)
  const { first, isFinal, last, mayBeCharged, response } = delivery
  const sentence = async (text: string, isDenied: boolean) => {
    const outcome = await outcomeOf(signed, isDenied, options)
    const isOver = isFinal && isDenied
    const before = first === undefined || isOver ? "" : `; at first: ${first}`
    return `${text}${before}${outcome === "" ? "" : `. ${outcome}`}`
  }
  if (response === undefined)
    throw new CommandFailed(
      await sentence(`the payment was sent, and its outcome isn't known: ${last}`, false)
    )
  if (response.status === 402) {
    const reason = await refusalOf402(response)
    throw new CommandFailed(
      await sentence(`the server refused the payment: ${reason}`, isUnchargedText(reason))
    )
  }
  const transaction = transactionOf(response)
  const missing = async () =>
    response.ok
      ? `the response ${response.status} has no receipt`
      : await sentence(`no receipt: ${last}`, !mayBeCharged)
  noteAll("paid", transaction ?? (await missing()), output)
  const balance = await readBalance(offer, kept.address, options.rpcUrl ?? kept.rpcUrl)
  describeBalance(balance, offer, output)
  const { address } = kept
  return {
    response,
    payment: {
      isSent: true,
      offer,
      address,
      transaction,
      balanceAtomic: balance.balanceAtomic,
      again: signed.again
    }
  }
}

/** Ends a dry run. */
const showOnly = (
  response: Response,
  { address, offer, ...balance }: Balance & { readonly offer: Offer; readonly address: string },
  output: Output
): Paid => {
  describeBalance(balance, offer, output)
  output.note("nothing was paid: --dry-run")
  const { balanceAtomic } = balance
  return { response, payment: { isSent: false, offer, address, transaction: undefined, balanceAtomic } }
}

/** Sends a payment that was kept, as a new one: never above --max, and nothing that isn't shown. */
const payKept = async (kept: KeptPayment, options: PayOptions, output: Output): Promise<Paid> => {
  const signed = signedOf(kept, options)
  const { offer } = signed
  const { address, payload } = kept
  describe({ offer, address, source: options.paymentFile ?? "" }, output)
  const fault =
    priceFault(offer.amountAtomic ?? 0n, options.maxAtomic) ??
    (await signedFault(payload, { address, offer }, options.now()))
  if (fault !== undefined) throw new CommandFailed(`The payment wasn't sent: ${fault}`)
  if (!options.dryRun) return deliver(signed, options, output)
  const balance = await readBalance(offer, address, options.rpcUrl ?? kept.rpcUrl)
  return showOnly(await sendUnpaid(options), { ...balance, offer, address }, output)
}

/** Calls a server, and pays its 402. Notes price, receipt and balance. */
export const pay = async (options: PayOptions, output: Output): Promise<Paid> => {
  const kept = options.paymentFile && (await readPayment(options.paymentFile, options))
  if (kept) return payKept(kept, options, output)
  const unpaid = await sendUnpaid(options)
  if (unpaid.status !== 402) return free(unpaid, output)
  const challenge = await readChallenge(unpaid)
  const offers = challenge.accepts.map((each) => readOffer(each, challenge.x402Version))
  const chosen = await choose(offers, options, await options.wallets())
  const { account, offer } = chosen
  const { address, wallet } = account
  describe({ offer, address, source: wallet.source }, output)
  if (options.dryRun) return showOnly(unpaid, { ...chosen, address }, output)
  const accepted = challenge.accepts[offers.indexOf(offer)]!
  return deliver(await sign(challenge, accepted, chosen, options), options, output)
}
