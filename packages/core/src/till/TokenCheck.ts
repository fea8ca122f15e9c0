import { Effect, Layer, Schedule } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { Chain, type TokenFacts } from "../toll/evidence/Chain.ts"
import { domainSeparator } from "../toll/exact/Evm.ts"
import { checkOf } from "./Check.ts"
import { shown } from "./settings/OptionSchema.ts"
import type { PaidEvmNetwork, PaidNetwork } from "./settings/Networks.ts"

/*
 * The check of tokens that a host named. A token with other decimals would sell for a millionth of the price; one with
 * another EIP-712 domain could never be paid.
 */

/** Prices and amounts are millionths of a dollar. */
const decimals = 6

/** Versions that tokens use in their domain, where their contract names none or another. */
const usualVersions = ["1", "2"]

/** The domain that a token has, by the name and version that its contract reports, or a usual version. */
const actualDomain = (network: PaidEvmNetwork, facts: TokenFacts): PaidEvmNetwork["eip712"] | undefined => {
  const names = [network.eip712.name, ...(facts.name === undefined ? [] : [facts.name])]
  const versions = [
    network.eip712.version,
    ...(facts.version === undefined ? [] : [facts.version]),
    ...usualVersions
  ]
  return names
    .flatMap((name) => versions.map((version) => ({ name, version })))
    .find((eip712) => domainSeparator({ ...network, eip712 }) === facts.separator)
}

/** What is wrong with a network's token, and what to write; `undefined`: nothing. */
export const tokenFault = (network: PaidEvmNetwork, facts: TokenFacts): string | undefined => {
  const { asset, caip2, eip712, separator, v1Name } = network
  const subject = `token of ${v1Name ?? caip2}: the contract ${asset}`
  if (facts.decimals === undefined)
    return `${subject} is no token on this chain. Check its address and rpcUrl`
  if (facts.decimals !== decimals)
    return `${subject} has ${facts.decimals} decimals. Only tokens with ${decimals} can be used`
  if (!facts.hasAuthorizations)
    return `${subject} doesn't support EIP-3009 (authorizationState). Only tokens that do can be used`
  if (facts.pairsEvents === false)
    return `${subject} doesn't emit AuthorizationUsed directly before Transfer, as Circle's tokens do: payments couldn't be proven. It can't be used`
  if (facts.separator === undefined)
    return `${subject} doesn't report its EIP-712 domain (DOMAIN_SEPARATOR), which the till checks. It can't be used`
  if (facts.separator === separator) return undefined
  const given = `name ${shown(eip712.name)} and version ${shown(eip712.version)}`
  const actual = actualDomain(network, facts)
  if (actual === undefined)
    return `${subject} has another EIP-712 domain than the token's ${given} on chain ${network.chainId}: its separator is ${facts.separator}, and theirs is ${separator}. It can't be used with them`
  const { name, version } = actual
  return `${subject} has another EIP-712 domain: name ${shown(name)} and version ${shown(version)}, and the settings have ${given}. Write token: { address: ${shown(asset)}, name: ${shown(name)}, version: ${shown(version)} }`
}

const unread = ({ caip2, v1Name }: PaidNetwork): string =>
  `token of ${v1Name ?? caip2}: it could not be read from the chain, which the till does before it sells for it. Check rpcUrl, or start again when the node responds`

/** The checks of the tokens that the host named. Each is read up to three times. */
export const tokenChecks = Effect.fnUntraced(function* (networks: ReadonlyArray<PaidNetwork>) {
  const { token } = yield* Chain
  const named = networks
    .filter((network) => network.family === "evm")
    .filter(({ hasOwnToken }) => hasOwnToken)
  return yield* Effect.forEach(
    named,
    (network) =>
      (token?.(network) ?? Effect.undefined).pipe(
        Effect.repeat({
          times: 2,
          schedule: Schedule.spaced("1 second"),
          while: (facts) => facts === undefined && token !== undefined
        }),
        Effect.map((facts) => {
          const problem = facts === undefined ? unread(network) : tokenFault(network, facts)
          const cure = "Correct the token of this network, or its rpcUrl"
          const finding = problem === undefined ? undefined : { status: "fail" as const, problem, cure }
          return checkOf("token", network.v1Name ?? network.caip2, finding)
        })
      ),
    { concurrency: "unbounded" }
  )
})

/** Fails if a token that the host named is not what its settings say, or can't be read. */
export const tokenCheck = (networks: ReadonlyArray<PaidNetwork>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const found = (yield* tokenChecks(networks)).flatMap(({ problem = [] }) => problem)
      if (found.length > 0) return yield* new ConfigurationError({ message: found.join("\n") })
    })
  )
