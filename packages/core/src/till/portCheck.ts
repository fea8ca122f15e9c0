import { documentPathsOf } from "../api/Listings.ts"
import { Effect, Layer, Option, Record as Records, Result } from "effect"
import { ConfigurationError } from "../domain/Errors.ts"
import { Operations } from "../operations/Operation.ts"
import { Assistant } from "../shop/ports/Assistant.ts"
import { Fulfilment } from "../shop/ports/Fulfilment.ts"
import { Mailer } from "../shop/ports/Mailer.ts"
import { Marketplaces } from "../shop/ports/Marketplaces.ts"
import { Tracker } from "../shop/ports/Tracker.ts"
import { VaultFiles } from "../shop/ports/VaultFiles.ts"
import {
  type ConfiguredSettings,
  isStatusPage,
  listed,
  optionName,
  readOptions
} from "./settings/Configuration.ts"
import { portMembers } from "./settings/HostOptions.ts"
import { checked, checkPort, type Faults, option, shown } from "./settings/OptionSchema.ts"

/*
 * The check of ports that are layers, at start, as the options of plain hosts are checked. What the host's types have
 * checked is checked again: a limit may come from the environment, and a host may have no types.
 */

const example = "(…) => Effect.succeed(…)"

const service = <Members extends Parameters<typeof checkPort>[2]>(name: string, members: Members) =>
  option<unknown, unknown>((given, faults) => {
    if (given !== undefined) checkPort(name, given, members, faults, example)
    return given
  })

const sources = ["marketplace_a", "marketplace_b"]

const checkMarketplaces = (given: unknown, faults: Faults): void => {
  if (!Array.isArray(given)) {
    faults.wrong("a list of marketplaces such as { source, search }", given)
    return
  }
  const seen = new Set<unknown>()
  for (const [index, marketplace] of given.entries()) {
    checkPort("Marketplaces", marketplace, portMembers.marketplace, faults, example)
    const source: unknown = marketplace?.source
    if (!sources.includes(String(source)))
      faults.add(`must have the source marketplace_a or marketplace_b: got ${shown(source)}`, index)
    else if (seen.has(source)) faults.add(`: two have the source ${String(source)}`, index)
    seen.add(source)
  }
}

const fields = {
  Marketplaces: checked<unknown>(checkMarketplaces),
  Assistant: service("Assistant", portMembers.assistant),
  Fulfilment: service("Fulfilment", portMembers.fulfilment),
  Tracker: service("Tracker", portMembers.tracker),
  VaultFiles: service("VaultFiles", portMembers.vault),
  Mailer: service("Mailer", portMembers.mailer)
}

/** The ports that are layers around the till. Those of plain hosts are inside, and were checked as options. */
const services = Effect.all({
  Marketplaces: Effect.serviceOption(Marketplaces),
  Assistant: Effect.serviceOption(Assistant),
  Fulfilment: Effect.serviceOption(Fulfilment),
  Tracker: Effect.serviceOption(Tracker),
  VaultFiles: Effect.serviceOption(VaultFiles),
  Mailer: Effect.serviceOption(Mailer)
} satisfies Readonly<Record<keyof typeof fields, Effect.Effect<Option.Option<unknown>>>>)

/** What is wrong with the ports that are given. Pure. */
export const portFaults = (given: Partial<Record<keyof typeof fields, unknown>>): ReadonlyArray<string> => {
  const read = readOptions(fields, given, optionName)
  return Result.isFailure(read) ? read.failure : []
}

/** Fails with every fault of the ports that are layers, and with operations at the paths of documents. */
export const portCheck = (settings: ConfiguredSettings, publicPaths: ReadonlyArray<string>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const given = Records.map(yield* services, (port) => Option.getOrUndefined<unknown>(port))
      const operations = yield* (yield* Operations).all
      const taken = new Set<string>([...documentPathsOf(settings), ...publicPaths])
      const { Marketplaces: marketplaces } = given
      const faults = [
        ...portFaults(given),
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
