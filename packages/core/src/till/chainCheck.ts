import { Effect, Layer } from "effect"
import { isSameAsset } from "../domain/Network.ts"
import { ConfigurationError } from "../domain/Errors.ts"
import { currentMillis } from "../runtime/currentMillis.ts"
import { report } from "../runtime/events.ts"
import { Chain, type ChainFacts } from "../toll/evidence/Chain.ts"
import { type Check, type CheckName, checkOf, type Finding, textOf } from "./Check.ts"
import { type ConfiguredSettings, listed } from "./settings/Configuration.ts"
import type { PaidNetwork } from "./settings/Networks.ts"

/*
 * The checks of the chains that a till reads: at start, before the first payment, and every ten minutes. What the till's
 * own settings get wrong is refused at start; what may pass is reported, once until it has passed.
 */

/** A node that lags so far behind the host's clock can't show recent payments. */
export const maxLagSeconds = 180

type Named = Pick<PaidNetwork, "asset" | "caip2" | "family" | "payTo" | "v1Name">

const nameOf = ({ caip2, v1Name }: Named): string => v1Name ?? caip2

const lost = { token: "a token's contract", program: "a program", "token account": "a token account" }

/** What is wrong with an address at which there is something else than a wallet. */
const payToFinding = (network: Named, found: keyof typeof lost | "program's account"): Finding => {
  const { family, payTo } = network
  const subject = `payTo ${payTo} of ${nameOf(network)}`
  if (found === "program's account")
    return {
      status: "warn",
      problem: `${subject} is an account of a program, as a multisig's own account is: perhaps nobody can move money sent there`,
      cure: "Give a wallet's address, or that of the multisig's vault"
    }
  // A contract on EVM that has shares may move money, too: it is reported, unless it is the dollar's own.
  const isLost = found !== "token" || family === "solana" || isSameAsset(network, payTo)
  return {
    status: isLost ? "fail" : "warn",
    problem: `${subject} is ${lost[found]}: money sent there is lost`,
    cure: "Give a wallet's address"
  }
}

/** The checks of one network. What its node doesn't tell isn't among them. Pure. */
export const chainChecks = (network: Named, facts: ChainFacts, nowMillis: number): ReadonlyArray<Check> => {
  const name = nameOf(network)
  const { payTo } = network
  const check = (of: CheckName, finding: Finding | false): Check => checkOf(of, name, finding || undefined)
  // All else would be about another chain.
  if (facts.caip2 !== undefined && facts.caip2 !== network.caip2)
    return [
      check("chain id", {
        status: "fail",
        problem: `rpcUrl of ${name} reads another chain: its node is on ${facts.caip2}, and ${name} is ${network.caip2}. Payments would never be found there`,
        cure: `Give the address of a node of ${name}`
      })
    ]
  const lagSeconds = Math.round(nowMillis / 1000 - facts.blockSeconds)
  const checks: ReadonlyArray<Check | false> = [
    facts.caip2 !== undefined && check("chain id", false),
    check(
      "newest block",
      lagSeconds > maxLagSeconds && {
        status: "warn",
        problem: `The newest block that rpcUrl of ${name} shows is ${lagSeconds} seconds old: the node lags, or this server's clock is wrong. Payments are found late`,
        cure: "Use a node that keeps up, and synchronize the clock (NTP)"
      }
    ),
    facts.hasLogs !== undefined &&
      check(
        "logs",
        !facts.hasLogs && {
          status: "warn",
          problem: `The node at rpcUrl of ${name} refuses to list logs, by which payments are proven`,
          cure: "Use one that has eth_getLogs"
        }
      ),
    facts.payTo !== undefined &&
      check(
        "payTo",
        facts.payTo !== "wallet" && facts.payTo !== "contract" && payToFinding(network, facts.payTo)
      ),
    facts.tokenAccount !== undefined &&
      check(
        "token account",
        facts.tokenAccount !== "ready" && {
          status: "warn",
          problem: `The token account of payTo ${payTo} on ${name} is ${facts.tokenAccount}: payments to it fail`,
          cure:
            facts.tokenAccount === "missing"
              ? "Send it a first amount of the token"
              : "Ask the token's issuer"
        }
      )
  ]
  return checks.filter((each) => each !== false)
}

const everyMillis = 10 * 60_000

/** A till starts also where a node doesn't respond: its reads are reported, each by itself. */
const bounded = <A>(read: Effect.Effect<A | undefined>): Effect.Effect<A | undefined> =>
  Effect.timeoutOrElse(read, { duration: "5 seconds", orElse: () => Effect.undefined })

interface Checked {
  readonly network: PaidNetwork
  readonly check: Check
}

const unreadable = (network: Named): Finding => ({
  status: "fail",
  problem: `The node at rpcUrl of ${nameOf(network)} could not be read: what needs the chain's proof isn't sold there, and nothing is before it has been read once`,
  cure: "Check rpcUrl: the event chain_unreadable has its host, and its status or why it wasn't reached"
})

interface Read {
  readonly network: PaidNetwork
  readonly facts: ChainFacts | undefined
}

/**
 * Finds each network where `payTo` has no code, although it is a contract on another network, such as a Safe. The first to
 * create a contract at that address may own what was paid to it. Pure.
 */
const missingContracts = (reads: ReadonlyArray<Read>): ReadonlyArray<Checked> =>
  reads.flatMap(({ facts, network }) => {
    const { caip2, family, payTo } = network
    const there = reads.find((other) => other.facts?.payTo === "contract" && other.network.payTo === payTo)
    if (family !== "evm" || facts?.payTo !== "wallet" || facts.caip2 !== caip2 || there === undefined)
      return []
    return {
      network,
      check: checkOf("payTo", nameOf(network), {
        status: "warn",
        problem: `payTo ${payTo} is a contract on ${nameOf(there.network)}, and nothing is there on ${nameOf(network)}: who creates one at that address owns what is paid to it`,
        cure: "Create the same wallet there, or give this network a payTo of its own"
      })
    }
  })

/** Reads all chains at once. */
const readChainChecks = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const chain = yield* Chain
  const { facts } = chain
  if (facts === undefined) return []
  const nowMillis = (yield* currentMillis)()
  const found = yield* Effect.forEach(
    networks.filter(({ caip2 }) => chain.canRead(caip2)),
    (network) =>
      Effect.map(bounded(facts(network, network.payTo)), (read): Read => ({ network, facts: read })),
    { concurrency: "unbounded" }
  )
  const missing = missingContracts(found)
  const checked = found.flatMap(({ facts: read, network }): ReadonlyArray<Checked> => {
    const node = checkOf("node", nameOf(network), read === undefined ? unreadable(network) : undefined)
    const checks = read === undefined ? [] : chainChecks(network, read, nowMillis)
    return [node, ...checks].map((check) => ({ network, check }))
  })
  // What has no account passes by itself: the comparison with the other networks says more.
  const isReplaced = (each: Checked) =>
    missing.some(({ network }) => network === each.network) && each.check.name === "payTo"
  return [...checked.filter((each) => !isReplaced(each)), ...missing]
})

/** The checks of all chains, now. */
export const chainChecksNow = (networks: ReadonlyArray<PaidNetwork>) =>
  Effect.map(readChainChecks(networks), (checked) => checked.map(({ check }) => check))

/** What is wrong; not a read that failed, which is reported by itself. */
const findingsOf = (networks: ReadonlyArray<PaidNetwork>) =>
  Effect.map(readChainChecks(networks), (checked) =>
    checked.filter(({ check: { name, status } }) => status !== "pass" && name !== "node")
  )

const reportFinding = ({ check, network }: Checked): Effect.Effect<void> => {
  const fields = { port: "chain", network: network.caip2, reason: check.name }
  return check.status === "fail"
    ? report("Error", "chain_check_failed", textOf(check), fields)
    : report("Warn", "chain_check_failed", textOf(check), fields)
}

/** Fails with what is refused, and reports the rest; then repeats the checks for as long as the layer lives. */
export const chainCheck = ({ allowPlayMoney, networks }: ConfiguredSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const first = yield* findingsOf(networks)
      // Another chain shows nothing of these payments, whatever money they are.
      const isRefused = ({ name, status }: Check) =>
        status === "fail" && (name === "chain id" || !allowPlayMoney)
      const refused = first.filter(({ check }) => isRefused(check))
      if (refused.length > 0)
        return yield* new ConfigurationError({
          message: `Till402 can't start: ${listed(refused.map(({ check }) => textOf(check)))}`
        })
      let known = new Set<string>()
      const tell = Effect.fnUntraced(function* (found: ReadonlyArray<Checked>) {
        const keyOf = ({ check, network }: Checked) => `${network.caip2} ${check.name}`
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
