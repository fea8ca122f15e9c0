import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { parseEnv } from "node:util"
import type { Till, TillOptions } from "@till402/core"
import { tillConfigWithFacilitator } from "@till402/core/effect"
import { ConfigProvider, Effect, Logger } from "effect"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import type { Line } from "./Line.ts"

/*
 * The host's settings: of the environment, or of a module.
 */

type Environment = Readonly<Record<string, string | undefined>>

/** Options of a till, whose storage isn't opened. */
export type Settings = Omit<TillOptions, "storage">

export type HostSettings =
  | {
      readonly _tag: "Options"
      readonly options: Settings
      /** What the environment has that looks like a setting. */
      readonly warnings?: ReadonlyArray<Line>
    }
  /** A module has made its till itself. */
  | { readonly _tag: "Running"; readonly till: Till }

/** The environment with the variables of a file behind it, as Node's option does. */
export const withFile = async (environment: Environment, file: string | undefined): Promise<Environment> => {
  if (file === undefined) return environment
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new WrongUsage(`--env ${file} can't be read: ${wordsOf(error)}`)
  })
  return { ...parseEnv(text), ...environment }
}

/**
 * Reads the settings; reports each variable that nothing reads, and that may be the host's own.
 *
 * @throws Error that names each variable that is missing, wrong or misspelled
 */
export const readEnvironment = async (
  environment: Environment,
  onWarning: (text: string) => void
): Promise<Settings> => {
  const logger = Logger.make(({ message }) => onWarning([message].flat().join(" ")))
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
  return Effect.runPromise(
    Effect.provideService(
      tillConfigWithFacilitator,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown(given)
    ).pipe(Effect.provide(Logger.layer([logger])))
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const settingsOf = (value: unknown): HostSettings | undefined => {
  if (!isRecord(value)) return undefined
  if (typeof value["check"] === "function" && typeof value["fetch"] === "function")
    return { _tag: "Running", till: value as unknown as Till }
  return "baseUrl" in value ? { _tag: "Options", options: value as unknown as Settings } : undefined
}

/** Reads a module whose `default`, `till` or `options` is a till, its options, or a function that returns one of them. */
export const readModule = async (path: string): Promise<HostSettings> => {
  const url = pathToFileURL(resolve(path)).href
  const loaded = await import(url).catch((error: unknown) => {
    throw new CommandFailed(`the module ${path} can't be loaded: ${wordsOf(error)}`)
  })
  for (const name of ["default", "till", "options"]) {
    const exported: unknown = loaded[name]
    const found = settingsOf(typeof exported === "function" ? await exported() : exported)
    if (found !== undefined) return found
  }
  throw new CommandFailed(
    `the module ${path} exports neither a till nor its options: as default, till or options`
  )
}
