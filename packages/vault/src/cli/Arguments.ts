import { parseArgs } from "node:util"

export const usage = `Usage: till402 vault COMMAND [options]

  publish SOURCE            publishes a folder or a ZIP archive; its manifest is SOURCE.json (without .zip)
  import FOLDER             publishes every manifest NAME.json of a folder with NAME or NAME.zip beside it, or none
  list                      lists what is for sale
  unpublish SLUG            takes an item off the listing; its buyers can still download it

  --manifest FILE           manifest of publish
  --allow PATH              sells a path although its name is private, such as .env or .git, with everything below it; may
                            be repeated
  --database ADDRESS        path of the SQLite file, or postgres://… (default TILL_DATABASE)
  --files PLACE             folder of the archives, or https://… of a bucket (default TILL_FILES); the key of a bucket is read
                            from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION
  --query WORDS             words that list looks for
  --json                    one line of JSON for each item
  --help                    this text

A manifest is JSON: { slug, title, productType, cardDescription, price, category, creator: { name, type }, coverImageUrl }
`

/** What is read from the environment. */
export interface Defaults {
  readonly database: string | undefined
  readonly files: string | undefined
}

/** What the commands need that publish. */
export interface Publishing {
  /** Where archives are stored. */
  readonly files: string
  /** Private paths to sell. */
  readonly allow: ReadonlyArray<string>
}

/** A command with what it needs. */
export type Command =
  | ({ readonly _tag: "Publish"; readonly source: string; readonly manifest: string } & Publishing)
  | ({ readonly _tag: "Import"; readonly folder: string } & Publishing)
  | { readonly _tag: "List"; readonly query: string | undefined }
  | { readonly _tag: "Unpublish"; readonly slug: string }

export type ParsedArguments =
  | { readonly _tag: "Run"; readonly command: Command; readonly database: string; readonly json: boolean }
  | { readonly _tag: "Help" }
  /** All that is wrong with the command line. */
  | { readonly _tag: "Wrong"; readonly faults: ReadonlyArray<string> }

/** The manifest beside a source: `item.json` of `item` and of `item.zip`. */
export const manifestOf = (source: string): string => `${source.replace(/\/+$|\.zip$/i, "")}.json`

const options = {
  manifest: { type: "string" },
  allow: { type: "string", multiple: true },
  database: { type: "string" },
  files: { type: "string" },
  query: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false }
} as const

/** Each command, with the name of its argument, if it has one. */
const operands: ReadonlyMap<string, string | undefined> = new Map([
  ["publish", "SOURCE"],
  ["import", "FOLDER"],
  ["list", undefined],
  ["unpublish", "SLUG"]
])

/** Reads the command line; reports everything that is wrong with it. */
export const parseArguments = (args: ReadonlyArray<string>, defaults: Defaults): ParsedArguments => {
  let parsed
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    return { _tag: "Wrong", faults: [cause instanceof Error ? cause.message : String(cause)] }
  }
  const { positionals, values } = parsed
  if (values.help || args.length === 0) return { _tag: "Help" }
  const [group, name = "", operand = "", ...rest] = positionals
  if (group !== "vault" || !operands.has(name)) {
    const known = Array.from(operands.keys(), (command) => `vault ${command}`).join(", ")
    return { _tag: "Wrong", faults: [`the command must be one of ${known}`] }
  }
  const wanted = operands.get(name)
  const database = values.database ?? defaults.database ?? ""
  const files = values.files ?? defaults.files ?? ""
  const storesFiles = name === "publish" || name === "import"
  const tooMany = wanted === undefined ? operand !== "" : rest.length > 0
  const faults = [
    ...(wanted !== undefined && operand === "" ? [`vault ${name} needs ${wanted}`] : []),
    ...(tooMany ? [`vault ${name} takes ${wanted === undefined ? "no argument" : `one ${wanted}`}`] : []),
    ...(database === "" ? ["--database is missing, and TILL_DATABASE isn't set"] : []),
    ...(storesFiles && files === "" ? ["--files is missing, and TILL_FILES isn't set"] : []),
    ...(values.manifest !== undefined && name !== "publish" ? ["--manifest belongs to vault publish"] : []),
    ...(values.allow !== undefined && !storesFiles
      ? ["--allow belongs to vault publish and vault import"]
      : []),
    ...(values.query !== undefined && name !== "list" ? ["--query belongs to vault list"] : [])
  ]
  if (faults.length > 0) return { _tag: "Wrong", faults }
  const { allow = [], json, manifest = manifestOf(operand), query } = values
  const commands: Readonly<Record<string, Command>> = {
    publish: { _tag: "Publish", source: operand, manifest, files, allow },
    import: { _tag: "Import", folder: operand, files, allow },
    list: { _tag: "List", query },
    unpublish: { _tag: "Unpublish", slug: operand }
  }
  return { _tag: "Run", command: commands[name]!, database, json }
}
