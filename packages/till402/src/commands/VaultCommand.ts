import { Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { manifestOf, type VaultCommand } from "../vault/perform.ts"
import { database, json, required } from "./flags.ts"
import { type Surroundings, work } from "./Surroundings.ts"

const files = Flag.String("files").pipe(
  Flag.withMetavar("PLACE"),
  Flag.withDescription("Folder or bucket of the archives (else TILL_FILES)"),
  Flag.optional
)
const allow = Flag.String("allow").pipe(
  Flag.withMetavar("PATH"),
  Flag.withDescription("Sells a path with a private name, as .env"),
  Flag.atLeast(0)
)

interface Common {
  readonly database: Option.Option<string>
  readonly json: boolean
}

const perform = (surroundings: Surroundings, common: Common, command: () => VaultCommand) =>
  work(async () => {
    const address = required(common.database, ["--database", "TILL_DATABASE"], surroundings)
    const wanted = command()
    const { performVault } = await import("../vault/perform.ts")
    await performVault(wanted, address, { json: common.json, output: surroundings.output })
  })

const place = (option: Option.Option<string>, surroundings: Surroundings): string =>
  required(option, ["--files", "TILL_FILES"], surroundings)

const publish = (surroundings: Surroundings) =>
  Command.make(
    "publish",
    {
      source: Argument.String("SOURCE").pipe(Argument.withDescription("Folder, or ZIP archive")),
      manifest: Flag.String("manifest").pipe(
        Flag.withMetavar("FILE"),
        Flag.withDescription("Its manifest; default SOURCE.json (without .zip)"),
        Flag.optional
      ),
      files,
      allow,
      database,
      json
    },
    (input) =>
      perform(surroundings, input, () => ({
        _tag: "Publish",
        source: input.source,
        manifest: Option.getOrElse(input.manifest, () => manifestOf(input.source)),
        files: place(input.files, surroundings),
        allow: input.allow
      }))
  ).pipe(Command.withDescription("Publishes a folder or a ZIP archive"))

const importAll = (surroundings: Surroundings) =>
  Command.make(
    "import",
    {
      folder: Argument.String("FOLDER").pipe(
        Argument.withDescription("Has each NAME.json with NAME or NAME.zip")
      ),
      files,
      allow,
      database,
      json
    },
    (input) =>
      perform(surroundings, input, () => ({
        _tag: "Import",
        folder: input.folder,
        files: place(input.files, surroundings),
        allow: input.allow
      }))
  ).pipe(Command.withDescription("Publishes every item of a folder, or none"))

const list = (surroundings: Surroundings) =>
  Command.make(
    "list",
    {
      query: Flag.String("query").pipe(
        Flag.withMetavar("WORDS"),
        Flag.withDescription("Words to look for"),
        Flag.optional
      ),
      database,
      json
    },
    (input) =>
      perform(surroundings, input, () => ({ _tag: "List", query: Option.getOrUndefined(input.query) }))
  ).pipe(Command.withDescription("Lists what is for sale"))

const unpublish = (surroundings: Surroundings) =>
  Command.make("unpublish", { slug: Argument.String("SLUG"), database, json }, (input) =>
    perform(surroundings, input, () => ({ _tag: "Unpublish", slug: input.slug }))
  ).pipe(Command.withDescription("Takes an item off the listing; buyers keep it"))

export const vaultCommand = (surroundings: Surroundings) =>
  Command.make("vault").pipe(
    Command.withDescription("Publishes digital assets"),
    Command.withSubcommands([
      publish(surroundings),
      importAll(surroundings),
      list(surroundings),
      unpublish(surroundings)
    ])
  )
