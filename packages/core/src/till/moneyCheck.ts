import { Clock, Effect, Layer, Option, Record } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { isPlayMoney } from "../domain/Network.ts"
import { type AnyOperation, Operations } from "../operations/Operation.ts"
import { report } from "../runtime/events.ts"
import type { Risk } from "../runtime/secondsRisk.ts"
import { isTestRun } from "../runtime/nodeEnv.ts"
import { StorageRisks } from "../ports/StorageMarks.ts"
import { Assistant } from "../shop/ports/Assistant.ts"
import { Fulfilment } from "../shop/ports/Fulfilment.ts"
import { Mailer } from "../shop/ports/Mailer.ts"
import { Marketplaces } from "../shop/ports/Marketplaces.ts"
import { optionsOf } from "../shop/ports/PortGuard.ts"
import { Tracker } from "../shop/ports/Tracker.ts"
import { VaultFiles } from "../shop/ports/VaultFiles.ts"
import { Facilitator, type FacilitatorRequest } from "../toll/facilitator/Facilitator.ts"
import { textOf } from "./Check.ts"
import type { MoneyFacts } from "./moneyFacts.ts"
import { allowedRisks, lossesOf, mayBePublic, risksOf } from "./moneyRisks.ts"
import { type ConfiguredSettings, listed } from "./settings/Configuration.ts"
import { refundWalletRisks } from "./refundWalletCheck.ts"
import type { PaidEvmNetwork } from "./settings/Networks.ts"
import type { TillHooks } from "./settings/TillHooks.ts"
import type { TillOptions } from "./settings/TillOptions.ts"

/*
 * The check of settings that suit a test, where real money is paid: those that would lose it are refused, the others
 * reported.
 */

const deadlineNames: ReadonlySet<string> = new Set(["verifyTimeoutMillis", "settleTimeoutMillis"])

const allowing = "Or set allowPlayMoney: true, where no real customer pays."

/** With more characters of description and example, a 402 has more headers than proxies take. */
const maxDescribed = 4_000

const wordy = (operations: ReadonlyArray<AnyOperation>): ReadonlyArray<Risk> => {
  const ids = operations
    .filter(
      ({ documents: { description, example } }) =>
        description.length + JSON.stringify(example.input).length > maxDescribed
    )
    .map(({ endpoint }) => endpoint.identifier)
  if (ids.length === 0) return []
  return [
    {
      setting: "operations",
      problem: `The 402 of ${ids.join(", ")} has more headers than many proxies and clients take, so that nobody can pay`,
      cure: "Shorten description and example.input"
    }
  ]
}

/** By it, fakes of tests and the sample shop mark the functions of their ports; other packages know it by its name. */
const standIn = Symbol.for("@till402/standIn")

const isStandIn = (port: unknown): boolean =>
  Object.values(Object(optionsOf(port) ?? port)).some(
    (member) => typeof member === "function" && standIn in member
  )

/** The ports that are layers around the till. */
const portLayers = Effect.all({
  marketplaces: Effect.serviceOption(Marketplaces),
  assistant: Effect.serviceOption(Assistant),
  fulfilment: Effect.serviceOption(Fulfilment),
  tracker: Effect.serviceOption(Tracker),
  vault: Effect.serviceOption(VaultFiles),
  mailer: Effect.serviceOption(Mailer)
})

/** The ports whose results are made up. */
const madeUpPorts = Effect.fnUntraced(function* (hooks: MoneyHooks) {
  return Record.toEntries(yield* portLayers).flatMap(([name, layer]) => {
    const given = [hooks[name], Option.getOrUndefined<unknown>(layer)]
    // Marketplaces are several.
    const ports = name === "marketplaces" ? given.flatMap((each) => Object.values(Object(each))) : given
    return ports.some(isStandIn) ? [name] : []
  })
})

const selling: ReadonlySet<string> = new Set(["buy", "vaultBuy"])

/** A mailer that only keeps or writes mails, where sales have some. */
const unsentMails = (
  madeUp: ReadonlyArray<string>,
  operations: ReadonlyArray<AnyOperation>
): ReadonlyArray<Risk> =>
  madeUp.includes("mailer") && operations.some(({ endpoint }) => selling.has(endpoint.identifier))
    ? [
        {
          setting: "mailer",
          problem: "Buyers get no mail: mailer sends none, as a fake or a log",
          cure: "Give one that does. See docs/mail.md"
        }
      ]
    : []

/** The networks of Solana on which `payTo` is an account from which a facilitator pays fees. */
const paidToFeePayers = Effect.fnUntraced(function* ({ networks }: ConfiguredSettings) {
  const { feePayers } = yield* Facilitator
  const found: Array<Risk> = []
  for (const { caip2, family, payTo } of networks)
    if (
      family === "solana" &&
      !isPlayMoney(caip2) &&
      (yield* feePayers?.(caip2) ?? none).flat().includes(payTo)
    )
      found.push({
        setting: "payTo",
        problem: `payTo ${payTo} is an account from which a facilitator pays fees on Solana: unless that facilitator is yours, payments go to somebody else`,
        cure: "Give your own wallet's"
      })
  return found
})
const none: Effect.Effect<ReadonlyArray<ReadonlyArray<string>>> = Effect.succeed([])

/** A payment that nobody has signed, of a wallet to itself. */
const unsigned = ({ asset, caip2, eip712, payTo }: PaidEvmNetwork, nowMillis: number): FacilitatorRequest => {
  const [value, maxTimeoutSeconds] = ["1", 60]
  const validBefore = String(Math.ceil(nowMillis / 1_000) + maxTimeoutSeconds)
  const nonce = `0x${"00".repeat(32)}`
  return {
    x402Version: 2,
    payload: {
      signature: `0x${"00".repeat(64)}1b`,
      authorization: { from: payTo, to: payTo, value, validAfter: "0", validBefore, nonce }
    },
    requirements: {
      scheme: "exact",
      network: caip2,
      amount: value,
      asset,
      payTo,
      maxTimeoutSeconds,
      extra: { ...eip712 }
    },
    resource: { url: "urn:till402:check", description: "Check", mimeType: "application/json" }
  }
}

const stub: Risk = {
  setting: "facilitator",
  problem:
    "facilitator calls a payment valid that nobody has signed, as a stub of tests does: then everything is free",
  cure: "Give one that checks signatures. See docs/facilitator.md"
}

/**
 * Whether facilitators in this process, or a host's own service, take a payment that nobody has signed, of the host's wallet to
 * itself: then they check nothing, as stubs of tests do. Others aren't asked.
 */
const takesUnsigned = Effect.fnUntraced(function* ({ networks }: ConfiguredSettings) {
  const { sources = [], verify } = yield* Facilitator
  const network = networks.find(({ caip2, family }) => family === "evm" && !isPlayMoney(caip2))
  if (network?.family !== "evm") return false
  if (!sources.every((source) => "verify" in source)) return false
  const request = unsigned(network, yield* Clock.currentTimeMillis)
  const verification = yield* Effect.timeoutOrElse(verify(request), {
    duration: "5 seconds",
    orElse: () => Effect.undefined
  })
  return verification?._tag === "Valid"
})

const takesRealMoney = ({ networks }: ConfiguredSettings): boolean =>
  networks.some(({ caip2 }) => !isPlayMoney(caip2))

/** Tills in this process that take real money. */
let realTills = 0

const countRealTill = Effect.acquireRelease(
  Effect.sync(() => {
    realTills++
  }),
  () =>
    Effect.sync(() => {
      realTills--
    })
)

/** A till that takes play money waits so long for others of its process to start, before it is reported. */
const othersStartWithin = "5 seconds"

/** Of a plain host, these are all of its options. */
type MoneyHooks = TillHooks & Partial<Pick<TillOptions, keyof Effect.Success<typeof portLayers>>>

/** What is wrong with the settings where real money is paid; nothing in a test, or a trial that the host allows. */
export const moneyChecks = Effect.fnUntraced(function* (settings: ConfiguredSettings, hooks: MoneyHooks) {
  if (isTestRun()) return []
  if (settings.allowPlayMoney && !(takesRealMoney(settings) && mayBePublic(settings))) return []
  const { addresses, movesNoMoney = () => false, sources = [] } = yield* Facilitator
  const { refundWallet, solanaRefunds } = hooks
  // One till for trials beside the one that sells is meant.
  if (!takesRealMoney(settings) && realTills > 0) return []
  const operations = yield* (yield* Operations).all
  const madeUp = yield* madeUpPorts(hooks)
  const facts: MoneyFacts = {
    settings,
    movesNoMoney,
    madeUp: madeUp.filter((name) => name !== "mailer"),
    facilitators: Array.from(addresses?.values() ?? []),
    deadlines: sources.flatMap((source) =>
      Object.entries(source).filter(
        (entry): entry is [string, number] => deadlineNames.has(entry[0]) && typeof entry[1] === "number"
      )
    ),
    refundWallet: refundWallet?.address,
    refundsOnSolana: solanaRefunds?.network,
    known: [
      ...((yield* takesUnsigned(settings)) ? [stub] : []),
      ...(yield* paidToFeePayers(settings)),
      ...(yield* refundWalletRisks(settings, refundWallet)),
      ...wordy(operations),
      ...unsentMails(madeUp, operations),
      ...(yield* StorageRisks),
      ...operations.flatMap(({ documents: { risk } }) => (risk === undefined ? [] : [risk]))
    ],
    onCredit: new Set(
      // What a quote promises is bought after its payment has settled.
      operations.flatMap(({ endpoint, price, settlement }) =>
        settlement?.beforeWork === true || price._tag === "Quoted" ? [] : [endpoint.identifier]
      )
    ),
    proven: operations.flatMap(({ endpoint, settlement }) =>
      settlement?.proofRequired === true ? [endpoint.identifier] : []
    ),
    prices: new Map(
      operations.flatMap(({ endpoint, price }) =>
        price._tag === "Quoted"
          ? []
          : [[endpoint.identifier, price._tag === "Fixed" ? price.atomic : price.maxAtomic] as const]
      )
    )
  }
  return settings.allowPlayMoney ? allowedRisks(facts) : [...lossesOf(facts), ...risksOf(facts)]
})

/** Fails with what would lose real money, and reports what else suits only a test. */
export const moneyCheck = (...given: Parameters<typeof moneyChecks>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const found = yield* moneyChecks(...given)
      const losses = found.filter(({ status }) => status === "fail")
      if (losses.length > 0)
        return yield* new ConfigurationError({
          message: `Till402 can't start: ${listed(losses.map(textOf))}\n${allowing}`
        })
      const reported = Effect.forEach(
        found,
        (risk) => report("Warn", "risky_setting", textOf(risk), { reason: risk.subject }),
        { discard: true }
      )
      if (takesRealMoney(given[0])) {
        yield* countRealTill
        return yield* reported
      }
      if (found.length === 0) return
      const ifAlone = Effect.suspend(() => (realTills === 0 ? reported : Effect.void))
      yield* Effect.forkScoped(Effect.delay(ifAlone, othersStartWithin))
    })
  )

/** Loaded together: each further file that is loaded later costs what is loaded at once some bytes. */
export { chainCheck, chainChecksNow } from "./chainCheck.ts"
export { MountCheck } from "./mountCheck.ts"
export { ProxyCheck } from "./proxyCheck.ts"
export { refundWalletChecks } from "./refundWalletCheck.ts"
