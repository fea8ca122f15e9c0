/*
 * Benchmarks. Each mode prints what it stores and verifies, on which machine, and then its figures.
 */
import { parseArgs } from "node:util"
import { Bench, type Mode } from "./Bench.ts"

const modes: Readonly<Record<string, readonly [text: string, load: () => Promise<{ readonly mode: Mode }>]>> =
  {
    paid: ["what a user gets: paid calls, durable and verified (the default)", () => import("./paid.ts")],
    unpaid: ["402 responses to unpaid calls", () => import("./unpaid.ts")],
    load: ["users beside strangers without money; up to 4,000 paid calls at once", () => import("./load.ts")],
    relaying: ["settlements and gas of the local facilitator on anvil", () => import("./relaying.ts")],
    stores: ["reads, sweeps, orders and searches at up to a million rows", () => import("./stores.ts")],
    assistant: ["what the assistant keeps of honest replies, and of lies", () => import("./assistant.ts")],
    traces: ["processor time of the spans of paid calls", () => import("./traces.ts")],
    downloads: ["a large download of the vault, and 100 slow readers", () => import("./downloads.ts")]
  }

const usage = `Usage: npm run bench -- [MODE] [--only TEXT] [--brief] [--json FILE]

${Object.entries(modes)
  .map(([name, [text]]) => `  ${name.padEnd(12)}${text}`)
  .join("\n")}

  --only TEXT   only rows whose name contains it
  --brief       one short round, to see that it works: the figures mean nothing
  --json FILE   writes the figures to a file; \`npm run docs\` draws docs/bench-MODE.json

Measure on a machine that does nothing else. Build first: the first import is that of the built package.
`

const fail = (text: string): void => {
  process.stderr.write(`${text}\n\n${usage}`)
  process.exitCode = 1
}

const argumentsOf = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        only: { type: "string", default: "" },
        brief: { type: "boolean", default: false },
        json: { type: "string" },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const main = async (): Promise<void> => {
  const given = argumentsOf()
  if (typeof given === "string") return fail(given)
  const { brief, help, json, only } = given.values
  if (help) return void process.stdout.write(usage)
  const [name = "paid", ...others] = given.positionals
  const [, load] = (Object.hasOwn(modes, name) ? modes[name] : undefined) ?? []
  if (load === undefined || others.length > 0)
    return fail(`The bench has no mode "${[name, ...others].join(" ")}".`)
  const { mode } = await load()
  const bench = new Bench(name, mode.facts, { only, brief })
  await mode.run(bench)
  bench.end(json)
}

await main()
