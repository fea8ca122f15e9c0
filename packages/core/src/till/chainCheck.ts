import { Effect, Layer, Schedule } from "effect"
import { isSameAsset } from "../domain/Network.ts"
import { ConfigurationError } from "../domain/Errors.ts"
import { needsChain } from "../http/PaidRoute.ts"
import { Operations } from "../operations/Operation.ts"
import type { WithdrawnNetworks } from "../http/WithdrawnNetworks.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { Chain, type ChainFacts } from "../toll/evidence/Chain.ts"
import { type ConfiguredSettings, listed } from "./settings/Configuration.ts"
import type { PaidNetwork } from "./settings/Networks.ts"

/*
 * The checks of the chains that a till reads: at start, before the first payment, and every ten minutes. What the till's
 * own settings get wrong is refused at start; what may pass is reported, once until it has passed.
 */

/** What a check found. `isRefused`: no till starts with it. */
export interface ChainFinding {
  readonly check: "chain id" | "newest block" | "logs" | "payTo" | "token account"
  readonly message: string
  readonly isRefused: boolean
}

/** A node that lags so far behind the host's clock can't show recent payments. */
export const maxLagSeconds = 180

type Named = Pick<PaidNetwork, "asset" | "caip2" | "family" | "payTo" | "v1Name">

const nameOf = ({ caip2, v1Name }: Named): string => v1Name ?? caip2

/** The findings on one network. Pure. */
export const chainFindings = (
  network: Named,
  facts: ChainFacts,
  nowMillis: number
): ReadonlyArray<ChainFinding> => {
  const name = nameOf(network)
  const { payTo } = network
  // All else would be about another chain.
  if (facts.caip2 !== undefined && facts.caip2 !== network.caip2)
    return [
      {
        check: "chain id",
        isRefused: true,
        message: `rpcUrl of ${name} reads another chain: its node is on ${facts.caip2}, and ${name} is ${network.caip2}. Payments would never be found there`
      }
    ]
  const lagSeconds = Math.round(nowMillis / 1000 - facts.blockSeconds)
  const lost = { token: "a token's contract", program: "a program", "token account": "a token account" }
  const findings: ReadonlyArray<ChainFinding | false> = [
    facts.payTo !== undefined &&
      facts.payTo !== "wallet" && {
        check: "payTo",
        // A contract on EVM that has shares may move money, too: it is reported, unless it is the dollar's own.
        isRefused: facts.payTo !== "token" || network.family === "solana" || isSameAsset(network, payTo),
        message: `payTo ${payTo} of ${name} is ${lost[facts.payTo]}: money sent there is lost. Give a wallet's address`
      },
    lagSeconds > maxLagSeconds && {
      check: "newest block",
      isRefused: false,
      message: `The newest block that rpcUrl of ${name} shows is ${lagSeconds} seconds old: the node lags, or this server's clock is wrong. Payments are found late`
    },
    facts.hasLogs === false && {
      check: "logs",
      isRefused: false,
      message: `The node at rpcUrl of ${name} refuses to list logs, by which payments are proven. Use one that has eth_getLogs`
    },
    facts.tokenAccount !== undefined &&
      facts.tokenAccount !== "ready" && {
        check: "token account",
        isRefused: false,
        message: `The token account of payTo ${payTo} on ${name} is ${facts.tokenAccount}: payments to it fail. ${facts.tokenAccount === "missing" ? "Send it a first amount of the token" : "Ask the token's issuer"}`
      }
  ]
  return findings.filter((finding) => finding !== false)
}

const everyMillis = 10 * 60_000

/** A till starts also where a node doesn't respond: its reads are reported, each by itself. */
const bounded = <A>(read: Effect.Effect<A | undefined>): Effect.Effect<A | undefined> =>
  Effect.timeoutOrElse(read, { duration: "5 seconds", orElse: () => Effect.undefined })

interface Checked {
  readonly network: PaidNetwork
  readonly finding: ChainFinding
}

/** Reads all chains at once. One that can't be read has no findings: the read is reported, with host and status. */
const findingsOf = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const chain = yield* Chain
  const { facts } = chain
  if (facts === undefined) return []
  const nowMillis = (yield* currentMillis)()
  const found = yield* Effect.forEach(
    networks.filter(({ caip2 }) => chain.canRead(caip2)),
    (network) =>
      Effect.map(bounded(facts(network, network.payTo)), (read): ReadonlyArray<Checked> =>
        read === undefined
          ? []
          : chainFindings(network, read, nowMillis).map((finding) => ({ network, finding }))
      ),
    { concurrency: "unbounded" }
  )
  return found.flat()
})

const reportFinding = ({ finding, network }: Checked): Effect.Effect<void> => {
  const fields = { port: "chain", network: network.caip2, reason: finding.check }
  return finding.isRefused
    ? report("Error", "chain_check_failed", finding.message, fields)
    : report("Warn", "chain_check_failed", finding.message, fields)
}

/** Fails with what is refused, and reports the rest; then repeats the checks for as long as the layer lives. */
export const chainCheck = ({ allowPlayMoney, networks }: ConfiguredSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const first = yield* findingsOf(networks)
      const refused = allowPlayMoney ? [] : first.filter(({ finding }) => finding.isRefused)
      if (refused.length > 0)
        return yield* new ConfigurationError({
          message: `Till402 can't start: ${listed(refused.map(({ finding }) => finding.message))}`
        })
      let known = new Set<string>()
      const tell = Effect.fnUntraced(function* (found: ReadonlyArray<Checked>) {
        const keyOf = ({ finding, network }: Checked) => `${network.caip2} ${finding.check}`
        yield* Effect.forEach(
          found.filter((each) => !known.has(keyOf(each))),
          reportFinding,
          { discard: true }
        )
        known = new Set(found.map(keyOf))
      })
      yield* tell(first)
      const again = Effect.catchCause(Effect.flatMap(findingsOf(networks), tell), (cause) =>
        report(
          "Error",
          "housekeeping_failed",
          "Housekeeping failed and is retried",
          { operation: "chain.check" },
          cause
        )
      )
      yield* Effect.forkScoped(Effect.forever(Effect.delay(again, everyMillis)))
    })
  )

const watchEveryMillis = 30_000
const failuresToWithdraw = 3

/**
 * Keeps `unread`: the networks whose chain could not be read three times in a row, until it is read once. What needs the
 * chain's proof isn't offered there: it would be paid, and then wait. Nothing is read where no operation needs it.
 */
export const watchChains = Effect.fnUntraced(function* (
  { networks, trustFacilitator }: Pick<ConfiguredSettings, "networks" | "trustFacilitator">,
  unread: WithdrawnNetworks
) {
  const chain = yield* Chain
  const operations = yield* (yield* Operations).all
  if (!operations.some((operation) => needsChain(operation, { trustFacilitator }))) return
  const failures = new Map<string, number>()
  const readable = networks.filter(({ caip2 }) => chain.canRead(caip2))
  if (readable.length === 0) return
  const look = Effect.gen(function* () {
    yield* Effect.forEach(
      readable,
      (network) =>
        Effect.map(chain.balanceOf(network, network.payTo), (balance) =>
          failures.set(network.caip2, balance === undefined ? (failures.get(network.caip2) ?? 0) + 1 : 0)
        ),
      { concurrency: "unbounded", discard: true }
    )
    const before = unread.current
    const failing = readable.filter(({ caip2 }) => failures.get(caip2)! >= failuresToWithdraw)
    if (!unread.replace(new Set(failing.map(({ caip2 }) => caip2)))) return
    for (const network of failing.filter(({ caip2 }) => !before.has(caip2)))
      yield* report(
        "Error",
        "chain_withdrawn",
        `The chain of ${nameOf(network)} could not be read ${failuresToWithdraw} times: what needs its proof is not offered there until it is read again`,
        { port: "chain", network: network.caip2 }
      )
  })
  yield* Effect.repeat(look, Schedule.spaced(watchEveryMillis))
})
