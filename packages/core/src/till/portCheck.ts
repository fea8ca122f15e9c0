import { documentPathsOf } from "../api/Listings.ts"
import { Effect, Layer, Option, Record as Records, Result } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { causeName } from "../runtime/causeName.ts"
import { isObject } from "../runtime/isObject.ts"
import { Operations } from "../operations/Operation.ts"
import { Assistant } from "../shop/ports/Assistant.ts"
import { Fulfilment } from "../shop/ports/Fulfilment.ts"
import { Mailer } from "../shop/ports/Mailer.ts"
import { Marketplaces } from "../shop/ports/Marketplaces.ts"
import { optionsOf } from "../shop/ports/PortGuard.ts"
import { Tracker } from "../shop/ports/Tracker.ts"
import { VaultFiles } from "../shop/ports/VaultFiles.ts"
import { Chain } from "../toll/evidence/Chain.ts"
import { Facilitator } from "../toll/facilitator/Facilitator.ts"
import {
  type ConfiguredSettings,
  isStatusPage,
  listed,
  optionName,
  readOptions
} from "./settings/Configuration.ts"
import { unguarded } from "./guardedServices.ts"
import { facilitator, maxSettleTimeoutMillis } from "./settings/Facilitators.ts"
import { portMembers } from "./settings/HostOptions.ts"
import {
  checked,
  checkPort,
  type Faults,
  type MethodKind,
  number,
  option,
  type PortMembers,
  shown
} from "./settings/OptionSchema.ts"

/*
 * The check of ports that are layers, at start, as the options of plain hosts are checked. What the host's types have
 * checked is checked again: a limit may come from the environment, and a host may have no types.
 */

const effectMethods = (promiseCure: string): MethodKind => ({
  example: "(…) => Effect.succeed(…)",
  promiseCure
})

/** Checks a service, or the plain functions that it was made of. */
const checkService = (...given: Required<Parameters<typeof checkPort>>): void => {
  const [name, port, members, faults, methods] = given
  const options = optionsOf(port)
  if (options === undefined) checkPort(name, port, members, faults, methods)
  else checkPort(name, options, members, faults)
}

const service = (
  name: string,
  members: Parameters<typeof checkPort>[2],
  promiseCure = `provide async functions by ${name}.layerPromise`
) =>
  option<unknown, unknown>((given, faults) => {
    if (given !== undefined) checkService(name, given, members, faults, effectMethods(promiseCure))
    return given
  })

const marketplaceMethods = effectMethods("provide async functions by Marketplaces.layerPromise")

const sources = ["marketplace_a", "marketplace_b"]

const checkMarketplaces = (given: unknown, faults: Faults): void => {
  if (!Array.isArray(given)) {
    faults.wrong("a list of marketplaces such as { source, search }", given)
    return
  }
  const seen = new Set<unknown>()
  for (const [index, marketplace] of given.entries()) {
    checkService("Marketplaces", marketplace, portMembers.marketplace, faults, marketplaceMethods)
    const source: unknown = marketplace?.source
    if (!sources.includes(String(source)))
      faults.add(`must have the source marketplace_a or marketplace_b: got ${shown(source)}`, index)
    else if (seen.has(source)) faults.add(`: two have the source ${String(source)}`, index)
    seen.add(source)
  }
}

const effect = checked<unknown>((given, faults) => Effect.isEffect(given) || faults.wrong("an Effect", given))

/** What a till can't do without, of facilitators and chains that hosts wrote as services. */
const facilitatorMembers = {
  verify: "method",
  settle: "method",
  supported: effect,
  feePayers: "optional method",
  settles: "optional method",
  withhold: "optional method",
  addresses: checked<unknown>(
    (given, faults) => given instanceof Map || faults.wrong("a Map of addresses by their names", given)
  ),
  sources: "any",
  movesNoMoney: "optional method",
  settleTimeoutMillis: number("milliseconds", undefined, 1, maxSettleTimeoutMillis),
  clocks: effect
} satisfies PortMembers<Facilitator["Service"]>

const chainMembers = {
  canRead: "method",
  evidence: "method",
  usedNonces: "method",
  balanceOf: "method",
  acceptsSignature: "method",
  transfersTo: "method",
  head: "optional method",
  clock: "optional method",
  token: "optional method",
  facts: "optional method",
  transfersFrom: "optional method",
  paidWithin: "optional method",
  paidBy: "optional method"
} satisfies PortMembers<Chain["Service"]>

const fields = {
  Facilitator: service(
    "Facilitator",
    facilitatorMembers,
    "provide async functions by Facilitator.layerClient"
  ),
  Chain: service("Chain", chainMembers, "wrap promises in Effect.promise"),
  Marketplaces: checked<unknown>(checkMarketplaces),
  Assistant: service("Assistant", portMembers.assistant),
  Fulfilment: service("Fulfilment", portMembers.fulfilment),
  Tracker: service("Tracker", portMembers.tracker),
  VaultFiles: service("VaultFiles", portMembers.vault),
  Mailer: service("Mailer", portMembers.mailer)
}

/** The ports that are layers around the till. Those of plain hosts, but facilitator and chain, are inside: options. */
const services = Effect.all({
  Facilitator: Effect.serviceOption(Facilitator),
  Chain: Effect.serviceOption(Chain),
  Marketplaces: Effect.serviceOption(Marketplaces),
  Assistant: Effect.serviceOption(Assistant),
  Fulfilment: Effect.serviceOption(Fulfilment),
  Tracker: Effect.serviceOption(Tracker),
  VaultFiles: Effect.serviceOption(VaultFiles),
  Mailer: Effect.serviceOption(Mailer)
} satisfies Readonly<Record<keyof typeof fields, Effect.Effect<Option.Option<unknown>>>>)

/** What is wrong with the options that facilitators were made of, as those of plain hosts are checked. Pure. */
const facilitatorFaults = (given: unknown): ReadonlyArray<string> => {
  const sources = isObject(given) ? given["sources"] : undefined
  if (!Array.isArray(sources)) return []
  const option = sources.length === 1 ? sources[0] : sources
  const read = readOptions({ facilitator }, { facilitator: option }, optionName)
  return Result.isFailure(read) ? read.failure : []
}

/** What is wrong with the ports that are given. Pure. */
export const portFaults = (given: Partial<Record<keyof typeof fields, unknown>>): ReadonlyArray<string> => {
  const read = readOptions(fields, given, optionName)
  return Result.isFailure(read) ? read.failure : []
}

/** Functions whose result is used at once: an effect or a promise would count as `true`. */
const atOnce = { Facilitator: "movesNoMoney", Chain: "canRead" } as const

const answerFaults = (given: Partial<Record<keyof typeof fields, unknown>>, caip2: string) =>
  Records.toEntries(atOnce).flatMap(([name, member]) => {
    const port = given[name]
    const call: unknown = isObject(port) ? port[member] : undefined
    if (typeof call !== "function") return []
    try {
      const answer: unknown = call.call(port, caip2)
      return typeof answer === "boolean"
        ? []
        : [`${name}.${member} must return true or false: got ${shown(answer)}`]
    } catch (thrown) {
      return [`${name}.${member} must return true or false: it threw ${causeName(thrown)}`]
    }
  })

/** Fails with every fault of the ports that are layers, and with operations at the paths of documents. */
export const portCheck = (settings: ConfiguredSettings, publicPaths: ReadonlyArray<string>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const given = Records.map(yield* services, (port) => unguarded(Option.getOrUndefined<unknown>(port)))
      const operations = yield* (yield* Operations).all
      const taken = new Set<string>([...documentPathsOf(settings), ...publicPaths])
      const { Marketplaces: marketplaces } = given
      const faults = [
        ...portFaults(given),
        ...facilitatorFaults(given.Facilitator),
        ...answerFaults(given, settings.networks[0]!.caip2),
        ...operations
          .filter(({ endpoint: { path } }) => taken.has(path) || isStatusPage(path, settings.statusPath))
          .map(
            ({ endpoint }) =>
              `operation ${endpoint.identifier}: the path ${endpoint.path} belongs to a document, a public route or a status page`
          ),
        ...(Array.isArray(marketplaces) &&
        marketplaces.length === 0 &&
        operations.some(({ endpoint }) => endpoint.identifier === "search")
          ? ["Marketplaces is empty: give one, or leave Search.layer out"]
          : [])
      ]
      if (faults.length > 0)
        return yield* new ConfigurationError({ message: `Till402 can't start: ${listed(faults)}` })
    })
  )

/** Loaded together: each further file that is loaded later costs what is loaded at once some bytes. */
export { guardedServices } from "./guardedServices.ts"
