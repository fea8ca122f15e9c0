/*
 * Users who pay beside strangers without money, and thousands of paid calls at once. Ends with exit code 1 if a paying
 * call is refused, or takes more than twice as long beside the strangers.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench, Mode } from "./Bench.ts"
import { startFacilitator } from "./facilitators.ts"
import type { CrowdResult } from "./loadCrowd.ts"
import type { ServerOptions } from "./loadServer.ts"
import type { StrangersOptions, StrangersResult } from "./loadStrangers.ts"
import type { UsersOptions, UsersResult } from "./loadUsers.ts"
import { keyNamed } from "./payments.ts"
import { startWorker } from "./processes.ts"
import { median, quantile } from "./quantile.ts"

const names = Array.from({ length: 20 }, (_, index) => `user ${index}`)
const strangers = { connections: 2_000, addresses: 50, signed: 20_000 }
const fewStrangers = { connections: 20, addresses: 10, signed: 100 }
/** The flood is under way before the first user calls. */
const headStartMillis = 6_000
const measuredMillis = 8_000
const maxRatio = 2

/** The users' calls on a fresh server that knows none of them, beside a flood or without one. */
const measureUsers = async (isFlooded: boolean, brief: boolean) => {
  const facilitator = await startFacilitator({
    signatures: "C library",
    verifyMillis: 1_000,
    settleMillis: 50,
    funded: names.map((name) => keyNamed(name).address)
  })
  const server = await startWorker<ServerOptions, never, string>("loadServer.ts", {
    side: "ours",
    facilitatorUrl: facilitator.url,
    workMillis: 0
  })
  const users = await startWorker<UsersOptions, number, UsersResult>("loadUsers.ts", {
    origin: server.ready,
    names
  })
  const startFlood = () =>
    startWorker<StrangersOptions, "start" | "stop", StrangersResult>("loadStrangers.ts", {
      origin: server.ready,
      ...(brief ? fewStrangers : strangers)
    })
  const flood = isFlooded ? await startFlood() : undefined
  await flood?.request("start")
  if (isFlooded) await sleep(brief ? 100 : headStartMillis)
  const result = await users.request(brief ? 4_000 : measuredMillis)
  const flooded = await flood?.request("stop")
  for (const worker of [flood, users, server, facilitator]) await worker?.stop()
  return { ...result, flooded }
}

type Measured = Awaited<ReturnType<typeof measureUsers>>

const sum = (values: ReadonlyArray<number>): number => values.reduce((left, right) => left + right, 0)

const printUsers = async (bench: Bench): Promise<void> => {
  const { brief } = bench.settings
  const quiet: Array<Measured> = []
  const flooded: Array<Measured> = []
  for (let round = 0; round < (brief ? 1 : 3); round++) {
    quiet.push(await measureUsers(false, brief))
    flooded.push(await measureUsers(true, brief))
  }
  const both = [quiet, flooded]
  const floods = flooded.flatMap((run) => run.flooded ?? [])
  const rate = sum(floods.map(({ requests }) => requests)) / sum(floods.map(({ seconds }) => seconds))
  bench.table(
    `${names.length} users who never paid here before, beside ${(brief ? fewStrangers : strangers).connections} connections of strangers (${rate.toFixed(0)} payments a second); verifying takes 1 s`,
    ["without", "beside", "ratio"]
  )
  bench.row(
    "paid calls",
    both.map((runs) => String(sum(runs.map(({ first, others }) => first.length + others.length))))
  )
  const refused = both.map((runs) => sum(runs.map((run) => run.refused)))
  bench.row("refused calls of users", refused.map(String))
  bench.promise(
    refused.every((count) => count === 0),
    "no paying call is refused"
  )
  const compare = (name: string, of: "first" | "others", share: number): void => {
    // The median of the rounds: one of them may have shared the machine.
    const [before = 0, beside = 0] = both.map((runs) => median(runs.map((run) => quantile(run[of], share))))
    const ratio = beside / before
    bench.row(name, [`${before.toFixed(0)} ms`, `${beside.toFixed(0)} ms`, ratio.toFixed(2)])
    bench.promise(ratio <= maxRatio, `${name}: at most ${maxRatio} times that without strangers`)
  }
  compare("first call of each user, slowest", "first", 1)
  compare("every other call, p50", "others", 0.5)
  compare("every other call, p99", "others", 0.99)
}

/** Milliseconds of verifying, of settling and of the work. */
const millis = 100
const sides: ReadonlyArray<readonly [name: string, Pick<ServerOptions, "side" | "limits">]> = [
  ["Till402", { side: "ours" }],
  [
    "Till402, raised limits",
    { side: "ours", limits: { unverified: 8_000, unsettled: 8_000, lossPerHour: "1000000.00" } }
  ],
  ["official", { side: "official" }]
]

const measureCrowd = async (
  options: Pick<ServerOptions, "side" | "limits">,
  calls: number,
  runs: number
): Promise<ReadonlyArray<CrowdResult>> => {
  const facilitator = await startFacilitator({
    signatures: "C library",
    verifyMillis: millis,
    settleMillis: millis
  })
  const server = await startWorker<ServerOptions, never, string>("loadServer.ts", {
    ...options,
    facilitatorUrl: facilitator.url,
    workMillis: millis
  })
  const crowd = await startWorker<unknown, number, string | CrowdResult>("loadCrowd.ts", server.ready)
  const results: Array<CrowdResult> = []
  for (let run = 0; run <= runs; run++) {
    const result = (await crowd.request(calls)) as CrowdResult
    // The first run warms up.
    if (run > 0) results.push(result)
  }
  for (const worker of [crowd, server, facilitator]) await worker.stop()
  return results
}

const printCrowd = async (bench: Bench): Promise<void> => {
  const { brief } = bench.settings
  bench.table(
    `Paid calls at once, each over a connection of its own; verifying, settling and the work take ${millis} ms each`,
    ["served", "refused", "broken", "p50 ms", "p99 ms"]
  )
  for (const calls of brief ? [50] : [500, 1_000, 2_000, 4_000])
    for (const [name, options] of sides) {
      const results = await measureCrowd(options, calls, brief ? 1 : 3)
      const of = (value: (result: CrowdResult) => number): string => median(results.map(value)).toFixed(0)
      bench.row(`${calls} calls, ${name}`, [
        of(({ served }) => served.length),
        of(({ refused }) => refused.length),
        of(({ broken }) => broken),
        of(({ served }) => median(served)),
        of(({ served }) => quantile(served, 0.99))
      ])
    }
}

export const mode: Mode = {
  facts: {
    storage: "SQLite, each commit on the disk; the official middleware keeps nothing",
    library: "the till and the facilitator check signatures by the C library secp256k1",
    verified: "every payment: its signature by the till, and signature and money by a facilitator over HTTP"
  },
  run: async (bench) => {
    if (bench.wants("users")) await printUsers(bench)
    if (bench.wants("crowd")) await printCrowd(bench)
  }
}
