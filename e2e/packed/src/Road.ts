import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { frameworks } from "../../../packages/till402/src/init/frameworks.ts"
import { type Document, type Fence, fencesOf, read } from "../../docs/documents.ts"
import { followDockerfile } from "./Dockerfile.ts"
import { packAll } from "./Packing.ts"
import { Reader } from "./Reader.ts"
import { startRegistry } from "./Registry.ts"

/*
 * The roads from an empty folder to a paid call, as the documents describe them, on the packed packages: each command
 * is run as printed, and npm installs from a registry of this machine what isn't published yet.
 */

/** What a road took. */
export interface Trip {
  readonly road: string
  /** Commands and saved files. */
  readonly steps: number
  readonly minutes: number
  /** Transactions of the calls that `till402 pay` paid. */
  readonly paid: ReadonlyArray<string>
}

/** The fences of a document from a heading on, until another. */
const between = (document: Document, from: string, to: string): ReadonlyArray<Fence> => {
  const lines = document.text.split("\n")
  const [start, end] = [lines.indexOf(from), lines.indexOf(to)]
  if (start < 0 || end < start) throw new Error(`${document.path} has no ${from} before ${to}`)
  return fencesOf(document).filter(({ line }) => line > start && line < end)
}

const followAll = async (
  reader: Reader,
  fences: ReadonlyArray<Fence>,
  change = (line: string) => line
): Promise<void> => {
  for (const { code, language } of fences) {
    const [, file] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? []
    if (language === "sh") for (const line of code.split("\n")) await reader.follow(change(line))
    else if (file !== undefined) reader.save(file, code)
  }
}

const followStart = (reader: Reader): Promise<void> =>
  followAll(reader, between(read("docs/start.md"), "## 1. Start the sandbox", "## In a clone"))

/** Makes an app of a framework, runs and pays it by its README, runs its test, and follows its Dockerfile. */
const followInit = async (reader: Reader, framework: string): Promise<void> => {
  await followAll(reader, between(read("docs/command.md"), "## Init", "## Pay"), (line) =>
    line.replace("--framework hono", `--framework ${framework}`)
  )
  const [own, paying] = fencesOf({ path: "README.md", text: readFileSync(reader.path("README.md"), "utf8") })
  const key = /private key (0x[0-9a-f]{64})/.exec(reader.printed)?.[1] ?? "no key was printed"
  await followAll(reader, [paying!], (line) => line.replace("0x...", key))
  await reader.end()
  await followAll(reader, [own!])
  const settings = Object.entries(parseEnv(readFileSync(reader.path(".env"), "utf8"))).map(
    ([name, value]) => {
      const usual = name.endsWith("PAY_TO")
        ? "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
        : "http://127.0.0.1:9"
      return [name, value === "" ? usual : value]
    }
  )
  await followDockerfile(reader.path("."), reader.path("../image"), reader.env, Object.fromEntries(settings))
}

const roads: ReadonlyArray<readonly [name: string, follow: (reader: Reader) => Promise<void>]> = [
  ["docs/start.md, on Express", followStart],
  ...frameworks.map(
    (framework) =>
      [`npm create till402, ${framework}`, (reader: Reader) => followInit(reader, framework)] as const
  )
]

/** The roads that there are. */
export const roadNames: ReadonlyArray<string> = roads.map(([name]) => name)

/** What the roads begin with: a registry with the packed packages, and a folder for all that is installed. */
export interface Start {
  readonly travel: (road: string) => Promise<Trip>
  readonly stop: () => void
}

export const prepare = async (): Promise<Start> => {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "till402-road-"))
  const packages = await packAll(folder, (name) => join(folder, "packages", name))
  const registry = await startRegistry(packages)
  const env = {
    npm_config_registry: registry.url,
    // A cache of the roads' own: npx would take a package of the same version that was packed before.
    npm_config_cache: join(folder, "cache"),
    // Where npm asks whether it may install what npx needs, a reader agrees.
    npm_config_yes: "true",
    NEXT_TELEMETRY_DISABLED: "1"
  }
  const travel = async (road: string): Promise<Trip> => {
    const follow = roads.find(([name]) => name === road)![1]
    const place = join(folder, String(roadNames.indexOf(road)))
    mkdirSync(place)
    const reader = new Reader(place, env)
    const begun = performance.now()
    try {
      await follow(reader)
    } finally {
      await reader.end()
      rmSync(place, { recursive: true, force: true })
    }
    const paid = Array.from(reader.printed.matchAll(/^paid +(0x[0-9a-f]{64})$/gm), ([, hash]) => hash!)
    return { road, steps: reader.steps, minutes: (performance.now() - begun) / 60_000, paid }
  }
  return {
    travel,
    stop: () => {
      registry.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
