import { Redacted } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Check, type NetworkOptions, operation, Till } from "@till402/core"
import { findNetwork, Money } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import { wordsOf } from "../CommandFailed.ts"
import { nameOf, statusOf } from "../migrate/Database.ts"
import { balanceOf } from "../pay/Balance.ts"
import { fail, failOfText, type Line, pass, warn } from "./Line.ts"
import { checkPublicUrl, type Promised } from "./PublicUrl.ts"
import { type HostSettings, readEnvironment, readModule, type Settings, withFile } from "./Settings.ts"

export interface DoctorOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly envFile: string | undefined
  readonly module: string | undefined
  readonly database: string | undefined
  /** Address to look at instead of `baseUrl`. */
  readonly url: string | undefined
  readonly route: string | undefined
  /** Leaves the public URL out, for a server that isn't up yet. */
  readonly isLocal: boolean
  /** In milliseconds since 1970. */
  readonly now: () => number
}

/** The schema of a database, without changing it. */
const databaseLine = async (database: string | undefined): Promise<Line> => {
  const name = "migrations"
  if (database === undefined)
    return warn(name, "no database was looked at", "Give --database ADDRESS, or set TILL_DATABASE")
  const place = nameOf(database)
  try {
    const status = await statusOf(database)
    if (status === undefined)
      return warn(
        name,
        `the database ${place} doesn't exist: the first start of a till creates it`,
        "Correct the path if there should be one"
      )
    if (status.unknown.length > 0)
      return fail(
        name,
        `a newer version of Till402 has migrated ${place} (${status.unknown.join(", ")}): this one doesn't start on it`,
        "Run that version, or restore a backup from before its migration"
      )
    if (status.missing.length > 0)
      return warn(
        name,
        `${place} lacks ${status.missing.join(", ")}`,
        "Back it up, and run till402 migrate up, or start the till, which does the same"
      )
    return pass(name, place)
  } catch (error) {
    return fail(
      name,
      `the database ${place} can't be read: ${wordsOf(error)}`,
      "Correct its address, user and rights"
    )
  }
}

/** About the doctor's own storage, not the host's. */
const ownChecks: ReadonlySet<Check["name"]> = new Set(["storage", "secret", "database", "database clock"])

/** A route of its own, so that a till without other ones starts. */
const ownRoute = operation({
  id: "till402Doctor",
  method: "GET",
  path: "/till402-doctor",
  description: "The doctor of Till402",
  price: "0.01",
  work: () => ({})
})

/** A check of a till, with what its wallet holds. */
const lineOf = ({ balance, subject, ...check }: Check): Line => {
  const held = balance === undefined ? "" : `: ${Money.formatAtomic(BigInt(balance.amountAtomic))}`
  return { ...check, ...(subject === undefined ? {} : { subject: subject + held }) }
}

/**
 * Makes the checks of a till that starts with these settings, over an empty database of its own: the host's isn't touched,
 * and there are no orders to place and no refunds to send.
 */
const tillLines = async (options: Settings): Promise<ReadonlyArray<Line>> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-doctor-"))
  try {
    const { operations = [], ...rest } = options
    const till = Till.make({
      ...rest,
      operations: [...operations, ownRoute],
      storage: sqlite({ filename: join(folder, "till.sqlite") }),
      onEvent: () => undefined
    })
    try {
      await till.ready
      return [pass("start"), ...(await till.check()).filter(({ name }) => !ownChecks.has(name)).map(lineOf)]
    } finally {
      await till.dispose()
    }
  } catch (error) {
    return [
      failOfText(
        "start",
        wordsOf(error),
        "Correct the setting: checks.md of @till402/core lists the mistakes"
      )
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The networks that are offered, each with its own settings. */
const offered = ({ networks, payTo }: Settings) =>
  networks.flatMap((each) => {
    const entry: NetworkOptions = typeof each === "string" ? { network: each } : each
    const network = findNetwork(entry.network)
    return network === undefined ? [] : [{ entry, network, payTo: entry.payTo ?? payTo }]
  })

const plainText = (text: string | Redacted.Redacted<string> | undefined): string | undefined =>
  Redacted.isRedacted(text) ? Redacted.value(text) : text

/** `payTo` of each network that is offered. */
const payees = (options: Settings): ReadonlyMap<string, string> =>
  new Map(offered(options).map(({ network, payTo }) => [network.caip2, payTo]))

/** What is in `payTo`, where a node was given. */
const payToLines = async (options: Settings): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  for (const { entry, network, payTo } of offered(options).filter(
    ({ entry }) => entry.rpcUrl !== undefined
  )) {
    const networkName = network.v1Name ?? network.caip2
    const asset = entry.token?.address ?? network.asset
    try {
      const atomic = await balanceOf({ asset, network, networkName }, payTo, plainText(entry.rpcUrl))
      lines.push(pass("payTo balance", `${networkName}: ${Money.formatAtomic(atomic)}`))
    } catch {
      // What is wrong with the node is said by its own checks.
    }
  }
  return lines
}

/** Where a till has them unless it is told otherwise. */
const documents = { discoveryPath: "/.well-known/x402", openapiPath: "/openapi.json" }

const promisedBy = (options: Settings, { route, url }: DoctorOptions): Promised => ({
  baseUrl: url ?? options.baseUrl,
  payTo: payees(options),
  cors: options.cors !== false,
  discoveryPath: options.discoveryPath ?? documents.discoveryPath,
  openapiPath: options.openapiPath ?? documents.openapiPath,
  statusPath: options.statusPath ?? "/x402-status",
  route
})

const unknownSettings = (baseUrl: string, { route }: DoctorOptions): Promised => ({
  baseUrl,
  payTo: new Map(),
  cors: true,
  ...documents,
  statusPath: undefined,
  route
})

/** The faults of an environment, one by one. */
const faultsOf = (error: unknown): ReadonlyArray<string> =>
  wordsOf(error)
    .replace(/^ConfigError\(SchemaError\(([^]*)\)\)$/, "$1")
    .split(/(?:^|\n) *- /)
    .map((fault) => fault.trim())
    .filter((fault) => fault !== "")

const readSettings = async (
  options: DoctorOptions,
  environment: DoctorOptions["environment"]
): Promise<HostSettings | ReadonlyArray<Line>> => {
  if (options.module !== undefined)
    return readModule(options.module).catch((error: unknown) => [
      fail(
        "options",
        wordsOf(error),
        "Correct the module, or give the variables that it reads with --env FILE"
      )
    ])
  const warnings: Array<Line> = []
  const onWarning = (text: string) =>
    void warnings.push(warn("options", text, "Correct its name, or leave it if it is your own"))
  try {
    return { _tag: "Options", options: await readEnvironment(environment, onWarning), warnings }
  } catch (error) {
    return faultsOf(error).map((fault) =>
      fail(
        "options",
        fault,
        fault.startsWith("TILL_SECRET ")
          ? "Set it to what till402 secret prints"
          : "Correct the variable: environment.md of @till402/core lists all of them"
      )
    )
  }
}

/** The lines of the settings, and what they promise of the public URL; `undefined` if that isn't known. */
const settingsLines = async (
  settings: HostSettings | ReadonlyArray<Line>,
  options: DoctorOptions,
  environment: DoctorOptions["environment"]
): Promise<{ readonly lines: ReadonlyArray<Line>; readonly promised: Promised | undefined }> => {
  const baseUrl = options.url ?? environment["TILL_BASE_URL"]
  const byUrl = baseUrl === undefined ? undefined : unknownSettings(baseUrl, options)
  if (!("_tag" in settings)) return { lines: settings, promised: byUrl }
  if (settings._tag === "Options")
    return {
      lines: [
        pass("options"),
        ...(settings.warnings ?? []),
        ...(await tillLines(settings.options)),
        ...(await payToLines(settings.options))
      ],
      promised: promisedBy(settings.options, options)
    }
  const { till } = settings
  try {
    return { lines: [pass("options"), ...(await till.check()).map(lineOf)], promised: byUrl }
  } catch (error) {
    return {
      lines: [
        failOfText(
          "start",
          wordsOf(error),
          "Correct the setting: checks.md of @till402/core lists the mistakes"
        )
      ],
      promised: byUrl
    }
  } finally {
    await till.dispose()
  }
}

/** Makes all checks. */
export const examine = async (options: DoctorOptions): Promise<ReadonlyArray<Line>> => {
  const environment = await withFile(options.environment, options.envFile)
  // A module reads variables of the process.
  if (options.module !== undefined && options.envFile !== undefined) process.loadEnvFile(options.envFile)
  const settings = await readSettings(options, environment)
  const database = options.database ?? (environment["TILL_DATABASE"] || undefined)
  // A running till has checked its own storage.
  const isRunning = "_tag" in settings && settings._tag === "Running"
  const databaseLines = isRunning && database === undefined ? [] : [await databaseLine(database)]
  const { lines, promised } = await settingsLines(settings, options, environment)
  if (options.isLocal) return [...lines, ...databaseLines]
  const publicLines =
    promised === undefined
      ? [warn("public url", "the public URL isn't known, so it wasn't looked at", "Give --url ADDRESS")]
      : await checkPublicUrl(promised, options.now)
  return [...lines, ...databaseLines, ...publicLines]
}
