import { Flag } from "effect/cli"
import { Option } from "effect"
import { WrongUsage } from "../CommandFailed.ts"
import type { Surroundings } from "./Surroundings.ts"

/*
 * Options that several commands have.
 */

export const json = Flag.Boolean("json").pipe(
  Flag.withoutNegation,
  Flag.withDescription("JSON instead of text"),
  Flag.withDefault(false)
)

export const database = Flag.String("database").pipe(
  Flag.withMetavar("ADDRESS"),
  Flag.withDescription("SQLite file, or postgres://… (else TILL_DATABASE)"),
  Flag.optional
)

/** The value of an option, or else that of a variable. */
export const given = (
  option: Option.Option<string>,
  variable: string,
  { environment }: Surroundings
): string | undefined => Option.getOrUndefined(option) ?? (environment[variable] || undefined)

/** The same, of an option that a command can't do without. */
export const required = (
  option: Option.Option<string>,
  [name, variable]: readonly [name: string, variable: string],
  surroundings: Surroundings
): string => {
  const value = given(option, variable, surroundings)
  if (value === undefined) throw new WrongUsage(`${name} is missing, and ${variable} isn't set`)
  return value
}
