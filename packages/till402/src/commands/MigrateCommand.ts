import { schemaSql } from "@till402/core/effect"
import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../CommandFailed.ts"
import { dialectOf, migrateUp, nameOf, statusOf } from "../migrate/Database.ts"
import { database, given, json, required } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const addressOf = (option: Option.Option<string>, surroundings: Surroundings): string =>
  required(option, ["--database", "TILL_DATABASE"], surroundings)

const status = (surroundings: Surroundings) =>
  Command.make("status", { database, json }, (input) =>
    work(async () => {
      const { output } = surroundings
      const address = addressOf(input.database, surroundings)
      const found = await statusOf(address)
      if (found === undefined) throw new CommandFailed(`the database ${address} doesn't exist`)
      if (input.json) output.print(JSON.stringify(found))
      else {
        for (const one of found.ran) output.print(`ran      ${one}`)
        for (const one of found.missing) output.print(`missing  ${one}`)
        for (const one of found.unknown) output.print(`unknown  ${one}: of a newer version of Till402`)
      }
      return found.missing.length + found.unknown.length === 0 ? 0 : 1
    })
  ).pipe(Command.withDescription("Lists migrations; 1 if some are missing or unknown"))

const up = (surroundings: Surroundings) =>
  Command.make("up", { database, json }, (input) =>
    work(async () => {
      const address = addressOf(input.database, surroundings)
      const before = await statusOf(address)
      await migrateUp(address)
      const after = await statusOf(address)
      const ran = after?.ran.filter((one) => !(before?.ran ?? []).includes(one)) ?? []
      if (input.json) surroundings.output.print(JSON.stringify({ ran }))
      else
        for (const line of ran.length === 0 ? ["nothing is missing"] : ran.map((one) => `ran      ${one}`))
          surroundings.output.print(line)
      if (before === undefined) surroundings.output.note(`${nameOf(address)} was created`)
    })
  ).pipe(Command.withDescription("Runs what is missing, as a till does at its start"))

const sql = (surroundings: Surroundings) =>
  Command.make(
    "sql",
    {
      dialect: Flag.Literals("dialect", ["sqlite", "postgres"]).pipe(
        Flag.withMetavar("NAME"),
        Flag.withDescription("Else that of the database"),
        Flag.optional
      ),
      database
    },
    (input) =>
      work(async () => {
        const address = given(input.database, "TILL_DATABASE", surroundings) ?? ""
        const dialect = Option.getOrElse(input.dialect, () => dialectOf(address))
        surroundings.output.print(schemaSql[dialect].trimEnd())
      })
  ).pipe(Command.withDescription("Prints the schema, which can be run again"))

export const migrateCommand = (surroundings: Surroundings) =>
  Command.make("migrate").pipe(
    Command.withDescription("The schema of a till's database"),
    Command.withSubcommands([status(surroundings), up(surroundings), sql(surroundings)])
  )
