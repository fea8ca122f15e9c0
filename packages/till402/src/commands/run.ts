import { Cause, Console, Effect, Exit, FileSystem, Layer, Option, Path, Stdio, Terminal } from "effect"
import { CliConfig, CliError, CliOutput, Command, Completions, Flag, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import { columns } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import { bookCommands } from "./BookCommands.ts"
import { checkCommand } from "./CheckCommand.ts"
import { consoleCommand } from "./ConsoleCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { initCommand } from "./InitCommand.ts"
import { migrateCommand } from "./MigrateCommand.ts"
import { payCommand } from "./PayCommand.ts"
import { sandboxCommand } from "./SandboxCommand.ts"
import { secretCommand } from "./SecretCommand.ts"
import { Ended, type Surroundings } from "./Surroundings.ts"
import { vaultCommand } from "./VaultCommand.ts"

/** The built-in one lists names of shells beyond a line of help. */
const completions = GlobalFlag.Action({
  flag: Flag.Literals("completions", ["bash", "zsh", "fish"]).pipe(
    Flag.withMetavar("SHELL"),
    Flag.withDescription("Print a script for a shell"),
    Flag.optional
  ),
  run: (shell, { command }) =>
    Option.isNone(shell)
      ? Effect.void
      : Console.log(Completions.generate("till402", shell.value, Completions.fromCommand(command)))
})

const till402 = (surroundings: Surroundings) =>
  Command.make("till402").pipe(
    Command.withDescription("Pays, checks and prepares services that are paid by x402"),
    Command.withSubcommands([
      initCommand(surroundings),
      payCommand(surroundings),
      doctorCommand(surroundings),
      checkCommand(surroundings),
      secretCommand(surroundings),
      migrateCommand(surroundings),
      vaultCommand(surroundings),
      ...bookCommands(surroundings),
      consoleCommand(surroundings),
      sandboxCommand()
    ]),
    Command.withGlobalFlags([completions])
  )

/** Standard services of commands. These read no files and ask no questions by them. */
const platform = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(columns),
      rows: Effect.succeed(24),
      size: Effect.die("not used"),
      readInput: Effect.die("not used"),
      readLine: Effect.die("not used"),
      display: () => Effect.void
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => Effect.die("not used"))
  ),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
)

/** Help is a result where it was asked for, and a note beside what is wrong. */
const presenter = ({ output }: Surroundings): CliOutput.Presenter => {
  const formatter = (colors: boolean) => CliOutput.defaultFormatter({ colors, globalFlags: "summary" })
  const isPainted = output.paint.bold("") !== ""
  const isNotePainted = output.notePaint.bold("") !== ""
  return {
    present: (event) =>
      Effect.sync(() => {
        switch (event._tag) {
          case "Help": {
            output.print(formatter(isPainted).formatHelpDoc(event.helpDoc))
            return
          }
          case "InvalidInvocation": {
            for (const error of event.errors) output.note(`till402: ${error.message}`)
            output.note("")
            output.note(formatter(isNotePainted).formatHelpDoc(event.helpDoc))
            return
          }
          case "Version":
            output.print(event.version)
        }
      })
  }
}

const codeOf = (error: unknown, { output }: Surroundings): number => {
  if (error instanceof Ended) return error.code
  if (CliError.isCliError(error)) return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  const isWrong = error instanceof WrongUsage
  const isKnown = isWrong || error instanceof CommandFailed || error instanceof Error
  for (const line of (isKnown ? wordsOf(error) : String(error)).split("\n"))
    output.note(harmless(line, 2_000))
  if (isWrong) output.note("till402 --help shows the commands, and --help behind one its options")
  return isWrong ? 2 : 1
}

/** Runs a command line; returns the exit code: 0, 1 for a failure, 2 for a wrong command line. */
export const run = async (
  args: ReadonlyArray<string>,
  surroundings: Surroundings,
  version: string
): Promise<number> => {
  const console = Object.assign(Object.create(globalThis.console), {
    log: (...texts: ReadonlyArray<unknown>) => surroundings.output.print(texts.join(" ")),
    error: (...texts: ReadonlyArray<unknown>) => surroundings.output.note(texts.join(" "))
  }) as Console.Console
  const exit = await Effect.runPromiseExit(
    Command.runWith(till402(surroundings), { version })(args).pipe(
      Effect.provide(platform),
      Effect.provideService(CliOutput.Presenter, presenter(surroundings)),
      Effect.provideService(Console.Console, console)
    )
  )
  return Exit.isSuccess(exit) ? 0 : codeOf(Cause.squash(exit.cause), surroundings)
}
