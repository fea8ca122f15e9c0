import { findEvmNetwork, isPlayMoney } from "../domain/Network.ts"
import type { SecretKey } from "../runtime/Secrets.ts"
import { type Risk, secondsRisk } from "../runtime/secondsRisk.ts"
import { unwrapped } from "../runtime/SecretText.ts"
import { nodeEnv } from "../runtime/nodeEnv.ts"
import { settlementSeconds } from "../toll/request/Verdict.ts"
import { addressRisks, isBeside, isLocal } from "./addressRisks.ts"
import type { Check } from "./Check.ts"
import { lossAt } from "./lostAddresses.ts"
import { check, type DurationName, type MoneyFacts, nameOf, risk, shortest } from "./moneyFacts.ts"
import type { ConfiguredSettings } from "./settings/Configuration.ts"

/*
 * What is wrong with settings where real money is paid. Pure.
 */

/** The same for the deadlines of a facilitator's calls. */
const shortestDeadline = 100

/** What would lose real money. Pure. */
export const lossesOf = ({
  madeUp,
  movesNoMoney,
  refundWallet,
  settings: { networks }
}: MoneyFacts): ReadonlyArray<Check> => {
  const real = networks.filter(({ caip2 }) => !isPlayMoney(caip2))
  if (real.length === 0) return []
  const free = real.filter(({ caip2 }) => movesNoMoney(caip2))
  const names = free.map(nameOf).join(", ")
  const payees = [...new Set(real.map(({ payTo }) => payTo))]
  const wallets = [
    ...payees.map((payTo) => ["payTo", payTo] as const),
    ...(refundWallet === undefined ? [] : [["refundWallet", refundWallet] as const])
  ]
  return [
    ...(free.length > 0
      ? [
          check(
            "facilitator",
            "fail",
            `facilitator moves no money, so everything is free on ${names}`,
            "Give one that settles there. See docs/facilitator.md"
          )
        ]
      : []),
    ...(madeUp.length > 0
      ? [
          check(
            madeUp[0]!,
            "fail",
            `${madeUp.join(", ")} ${madeUp.length === 1 ? "is" : "are"} of a sample shop or a test: real money is paid for what is made up`,
            "Give your own"
          )
        ]
      : []),
    ...wallets.flatMap(([setting, address]) => {
      const why = lossAt(address)
      const problem = `${setting} ${address} ${why}: money sent there is lost`
      return why === undefined ? [] : [check(setting, "fail", problem, "Give your own wallet's")]
    })
  ]
}

/** A random text of 32 characters has more. */
const fewCharacters = 10

const isGuessable = (key: SecretKey): boolean => {
  const secret = unwrapped(key.secret)
  return (
    new Set(secret).size < fewCharacters ||
    /secret|password|changeme|change-me|example|replace|placeholder|0123456789|1234567890|abcdefgh/i.test(
      secret
    ) ||
    /^(.{1,16}?)\1+$/.test(secret)
  )
}

/** Fewer basis points are less than a payment costs. */
const leastMargin = 25

/** No call for a machine costs so much, in atomic units: 10,000 dollars. */
const highPrice = 10_000_000_000n

/** No generator of secrets makes this form, which wallets have. */
const isWalletKey = (key: SecretKey): boolean => /^0x[0-9a-f]{64}$/i.test(unwrapped(key.secret))

/** Docker's `--env-file` keeps quotes, and a file ends with a line break: another reader of the same text has another secret. */
const isWrapped = (key: SecretKey): boolean => /^[\s"'`]|[\s"'`]$/.test(unwrapped(key.secret))

const riskOf = ({ cure, problem, setting }: Risk): Check => risk(setting, problem, cure)

/** Durations that were given in seconds, and a payment's that is shorter than the work for it. */
const durationRisks = ({ deadlines, onCredit, settings }: MoneyFacts): ReadonlyArray<Check | false> => {
  const names = Object.keys(shortest) as ReadonlyArray<DurationName>
  const { maxTimeoutSeconds, upstreamTimeoutMillis } = settings
  const workSeconds = upstreamTimeoutMillis / 1_000
  const given = [
    ...names.map((name) => secondsRisk(name, settings[name], shortest[name])),
    ...deadlines.map(([name, millis]) => secondsRisk(name, millis, shortestDeadline))
  ]
  return [
    ...given.filter((found) => found !== undefined).map(riskOf),
    onCredit.size > 0 &&
      maxTimeoutSeconds < workSeconds + settlementSeconds &&
      risk(
        "maxTimeoutSeconds",
        `Work may take ${workSeconds} seconds (upstreamTimeoutMillis), and a payment for it expires after ${maxTimeoutSeconds} (maxTimeoutSeconds): slow work is done, and can't be paid any more`,
        `Give maxTimeoutSeconds ${Math.ceil(workSeconds) + settlementSeconds} or more, or a shorter upstreamTimeoutMillis`
      )
  ]
}

/** Amounts in another unit than their option's, and those that contradict each other. */
const amountRisks = (
  { onCredit, prices, settings: { limits, margin, proofAbove } }: MoneyFacts,
  real: ConfiguredSettings["networks"]
): ReadonlyArray<Check | false> => {
  const idsAbove = (most: bigint) => Array.from(prices).flatMap(([id, atomic]) => (atomic > most ? [id] : []))
  const high = idsAbove(highPrice).join(", ")
  const blocking = idsAbove(limits.lossPerHour).filter((id) => onCredit.has(id))
  const notDollars = real.filter(
    (network) => network.family === "evm" && network.hasOwnToken && !/usd|dollar/i.test(network.eip712.name)
  )
  return [
    high !== "" &&
      risk("prices", `The price of ${high} is above 10,000 dollars`, 'Prices are dollars, as text: "5.20"'),
    proofAbove > highPrice &&
      risk(
        "proofAbove",
        "proofAbove is above 10,000 dollars: the chain decides on hardly any payment",
        'It is dollars, as text: "1.00"'
      ),
    typeof margin === "number" &&
      margin > 0 &&
      margin < leastMargin &&
      risk(
        "margin",
        `margin is ${margin} basis points, which looks like percent`,
        `If it is, give ${margin * 100}`
      ),
    high === "" &&
      blocking.length > 0 &&
      risk(
        "limits.lossPerHour",
        `The price of ${blocking.join(", ")} is above limits.lossPerHour: one such call that isn't paid stops new payers on all routes until it is made up for`,
        'Raise it, or give these operations settlement: "before-work"'
      ),
    notDollars.length > 0 &&
      risk(
        "networks",
        `The token of ${notDollars.map(nameOf).join(", ")} isn't called a dollar, and prices are dollars: each counts as one`,
        "Give the token of a dollar"
      )
  ]
}

/** Settings of chains by which a payment counts too soon, or a refund waits too long. */
const chainRisks = (real: ConfiguredSettings["networks"]): ReadonlyArray<Check | false> =>
  real.flatMap((network) => {
    const { caip2, confirmations, finalitySeconds } = network
    const usual = findEvmNetwork(caip2)?.confirmations ?? 0
    // No duration of so many seconds is so even, but whole hours.
    const areMillis =
      finalitySeconds >= 10_000 && finalitySeconds % 1_000 === 0 && finalitySeconds % 3_600 !== 0
    return [
      confirmations < usual &&
        risk(
          "networks",
          `confirmations of ${nameOf(network)} is ${confirmations}, and ${usual} is usual: a reorganization can take back what an order was placed for`,
          "Leave it out"
        ),
      areMillis &&
        risk(
          "networks",
          `finalitySeconds of ${nameOf(network)} is ${finalitySeconds}, which looks like milliseconds: refunds wait so long`,
          `If it is, give ${finalitySeconds / 1_000}`
        )
    ]
  })

const secretRisks = ({ secret }: MoneyFacts["settings"]): ReadonlyArray<Check | false> => [
  secret.some(isGuessable) &&
    risk(
      "secret",
      "A secret looks guessable: download tokens and stored responses depend on it",
      "Generate one with: npx till402 secret"
    ),
  secret.some(isWalletKey) &&
    risk(
      "secret",
      "A secret looks like the private key of a wallet: who reads one has both",
      "Generate one with: npx till402 secret"
    ),
  secret.some(isWrapped) &&
    risk(
      "secret",
      "A secret begins or ends with a quote or white space, which belong to it: without them, it is another secret",
      "Leave them out where it is stored"
    ),
  new Set(secret.map(({ secret }) => unwrapped(secret))).size < secret.length &&
    risk(
      "secret",
      "Two keys of secret have the same text: the rotation changed nothing",
      "Generate the new one with: npx till402 secret"
    )
]

/** Whether this may be a server for the public: not every one sets `NODE_ENV`. */
export const mayBePublic = ({ baseUrl }: Pick<MoneyFacts["settings"], "baseUrl">): boolean =>
  !isBeside(new URL(baseUrl).hostname) && nodeEnv() !== "development"

/** Whether this is a server for the public. */
const isPublic = ({ baseUrl }: Pick<MoneyFacts["settings"], "baseUrl">): boolean =>
  !isLocal(new URL(baseUrl).hostname) && nodeEnv() === "production"

/** Play money alone, on a server for the public. */
const playMoneyRisks = (settings: MoneyFacts["settings"]): ReadonlyArray<Check> =>
  isPublic(settings)
    ? [
        risk(
          "networks",
          "All networks have play money: nothing that is paid has any value",
          "Give a network with real money, such as base. If this is a trial, nothing is wrong"
        )
      ]
    : []

/** What suits a test, but not real money. Pure. */
export const risksOf = (facts: MoneyFacts): ReadonlyArray<Check> => {
  const { facilitators, known, proven, refundsOnSolana, refundWallet, settings } = facts
  const real = settings.networks.filter(({ caip2 }) => !isPlayMoney(caip2))
  if (real.length === 0) return playMoneyRisks(settings)
  const unread = real.filter(({ family, rpcUrl }) => family === "evm" && rpcUrl === undefined).map(nameOf)
  const unrefunded =
    refundsOnSolana === undefined
      ? []
      : real.filter(({ caip2, family }) => family === "solana" && caip2 !== refundsOnSolana).map(nameOf)
  const risks: ReadonlyArray<Check | false> = [
    ...addressRisks(facts, real),
    ...durationRisks(facts),
    ...amountRisks(facts, real),
    ...chainRisks(real),
    ...secretRisks(settings),
    settings.trustFacilitator &&
      proven.length > 0 &&
      facilitators.length > 0 &&
      risk(
        "trustFacilitator",
        `trustFacilitator is true: ${proven.join(" and ")} hand over what a facilitator says is paid, and the chain is not asked. A facilitator that errs or lies costs you the goods`,
        "Leave it out, and give each network an rpcUrl"
      ),
    refundWallet !== undefined &&
      unread.length > 0 &&
      risk(
        "refundWallet",
        `Refunds can't be confirmed on ${unread.join(", ")} without an rpcUrl`,
        "Give it to these networks"
      ),
    unrefunded.length > 0 &&
      risk(
        "solanaRefunds",
        `solanaRefunds sends on ${refundsOnSolana}, so nothing is refunded on ${unrefunded.join(", ")}`,
        "Give it that network"
      ),
    ...known.map(riskOf)
  ]
  return risks.filter((risk) => risk !== false)
}

/**
 * What is reported where the host allows play money, on a server for the public: all else is of no matter where everything
 * is free. Pure.
 */
export const allowedRisks = (facts: MoneyFacts): ReadonlyArray<Check> => {
  const { movesNoMoney, settings } = facts
  const losses = lossesOf(facts).map((loss): Check => ({
    ...loss,
    status: "warn",
    cure: `${loss.cure ?? ""}. And leave allowPlayMoney out where real customers pay. If this is a trial, nothing is wrong`
  }))
  const played = settings.networks.filter(({ caip2 }) => isPlayMoney(caip2)).map(nameOf)
  const isFree = settings.networks.every(({ caip2 }) => isPlayMoney(caip2) || movesNoMoney(caip2))
  const mixed = risk(
    "networks",
    `${played.join(", ")} pays for the same goods as networks with real money, with money that has no value`,
    "Leave it out. If this is a trial, nothing is wrong"
  )
  return isFree ? losses.slice(0, 1) : [...losses, ...(played.length > 0 ? [mixed] : []), ...risksOf(facts)]
}
