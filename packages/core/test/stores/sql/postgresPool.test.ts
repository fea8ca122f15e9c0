import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { sharedPostgres } from "@till402/test-postgres"
import { Effect, Latch, Option, Redacted, Result, type Scope, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { postgresClient } from "../../../src/postgres.ts"

let cluster: Awaited<ReturnType<typeof sharedPostgres>>
beforeAll(async () => {
  cluster = await sharedPostgres()
})

/** The database behind a proxy that can cut its connections and refuse new ones. */
const openProxy = async () => {
  const url = new URL(await cluster.createDatabase())
  const target = { host: "127.0.0.1", port: Number(url.port) }
  const sockets = new Set<Socket>()
  let isRefusing = false
  const server = createServer((incoming) => {
    incoming.on("error", () => undefined)
    if (isRefusing) return incoming.destroy()
    const outgoing = connect(target).on("error", () => incoming.destroy())
    for (const socket of [incoming, outgoing]) sockets.add(socket.once("close", () => sockets.delete(socket)))
    incoming.once("close", () => outgoing.destroy())
    outgoing.once("close", () => incoming.destroy())
    incoming.pipe(outgoing).pipe(incoming)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port)
  const cut = (refuses: boolean): void => {
    isRefusing = refuses
    if (refuses) for (const socket of sockets) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    /** Refuses new connections, and leaves those that are open. */
    refuse: (refuses: boolean) => {
      isRefusing = refuses
    },
    [Symbol.dispose]: () => {
      cut(true)
      server.close()
    }
  }
}

interface Spied {
  readonly waiters: ReadonlySet<unknown>
  releaseUnsafe: (...input: ReadonlyArray<unknown>) => unknown
}
const semaphores = Object.getPrototypeOf(Semaphore.makeUnsafe(1)) as Spied
const { releaseUnsafe } = semaphores
afterEach(() => {
  semaphores.releaseUnsafe = releaseUnsafe
})

/** The most that waited at one semaphore. */
const longestQueue = (): { length: number } => {
  const longest = { length: 0 }
  semaphores.releaseUnsafe = function (this: Spied, ...input) {
    longest.length = Math.max(longest.length, this.waiters.size)
    return Reflect.apply(releaseUnsafe, this, input)
  }
  return longest
}

const callers = 20
type OpenClient = (url: string) => Effect.Effect<SqlClient.SqlClient, unknown, Scope.Scope>

/** Callers that ask a database without a server again and again, then once with it. */
const outage = async (open: OpenClient, calls: number) => {
  using proxy = await openProxy()
  const queue = longestQueue()
  const served = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* open(proxy.url)
        const asked = Effect.result(sql`SELECT 1 AS one`)
        const everyone = Effect.replicateEffect(asked, callers, { concurrency: callers })
        yield* everyone
        proxy.cut(true)
        const failed = Effect.replicateEffect(Effect.delay(asked, 1), calls, { discard: true })
        yield* Effect.replicateEffect(failed, callers, { concurrency: callers, discard: true })
        proxy.cut(false)
        yield* Effect.repeat(asked, { until: ({ _tag }) => _tag === "Success" })
        return (yield* everyone).filter(({ _tag }) => _tag === "Success").length
      })
    )
  )
  return { served, queue: queue.length }
}

describe("callers of a database that can't be reached", () => {
  it("let openings of connections pile up in the pool of effect", async () => {
    const open: OpenClient = (url) =>
      Effect.provide(PgClient.make({ url: Redacted.make(url) }), Reactivity.layer)
    expect((await outage(open, 20)).queue).toBeGreaterThan(10 * callers)
  })

  it("wait before the pool of a till, and are served once it is back", async () => {
    const { queue, served } = await outage((url) => postgresClient({ url }), 100)
    expect(queue).toBeLessThan(3 * callers)
    expect(served).toBe(callers)
  })
})

/** A till's client, after an opening was refused while a transaction held one connection. */
const refusedOnce = <A>(then: (sql: SqlClient.SqlClient) => Effect.Effect<A>) =>
  Effect.gen(function* () {
    const proxy = yield* Effect.acquireRelease(Effect.promise(openProxy), (opened) =>
      Effect.sync(() => opened[Symbol.dispose]())
    )
    const sql = yield* postgresClient({ url: proxy.url })
    const isHeld = yield* Latch.make()
    yield* Effect.forkScoped(sql.withTransaction(Effect.andThen(isHeld.open, Effect.never)))
    yield* isHeld.await
    proxy.refuse(true)
    expect((yield* Effect.result(sql`SELECT 1`))._tag).toBe("Failure")
    proxy.refuse(false)
    return yield* then(sql)
  }).pipe(Effect.scoped, Effect.runPromise)

it("a connection that isn't returned keeps nobody from opening another, after one was refused", async () => {
  const served = await refusedOnce((sql) => Effect.timeoutOption(Effect.result(sql`SELECT 1`), "20 seconds"))
  expect(Option.map(served, Result.isSuccess)).toEqual(Option.some(true))
})

it("a clock that is set back keeps no connections closed", async () => {
  const now = vi.spyOn(Date, "now")
  const connections = await refusedOnce((sql) => {
    now.mockReturnValue(0)
    const asked = Effect.orDie(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid, pg_sleep(0.02)`)
    const used = Effect.map(
      Effect.replicateEffect(asked, callers, { concurrency: callers }),
      (rows) => new Set(rows.map(([row]) => row!.pid)).size
    )
    return Effect.timeoutOption(Effect.repeat(used, { until: (pids) => pids > 5 }), "20 seconds")
  }).finally(() => now.mockRestore())
  expect(Option.isSome(connections)).toBe(true)
})

it("callers share the connections that a server allows, if it allows fewer than the pool wants", async () => {
  const url = new URL(await cluster.createDatabase())
  const name = `few_${Date.now()}`
  const lower = Effect.flatMap(postgresClient({ url: url.href }), (sql) =>
    sql.unsafe(`CREATE ROLE ${name} LOGIN PASSWORD 'few' CONNECTION LIMIT 2`)
  )
  await Effect.runPromise(Effect.scoped(lower))
  url.username = name
  url.password = "few"
  const results = await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* postgresClient({ url: url.href })
        const asked = Effect.result(sql`SELECT pg_sleep(0.05)`)
        const calls = Effect.replicateEffect(asked, 6)
        return yield* Effect.replicateEffect(calls, callers, { concurrency: callers })
      })
    )
  )
  const failed = results.flat().filter(({ _tag }) => _tag === "Failure")
  // Those that were in the pool when it was refused, and one each second.
  expect(failed.length).toBeLessThan(callers * 2)
})
