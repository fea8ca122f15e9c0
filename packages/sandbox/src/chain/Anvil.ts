import { spawn, type ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { anvilBinary } from "./AnvilBinary.ts"

type AnvilChild = ChildProcessByStdio<Writable, Readable, Readable>

/** A running anvil process. */
export interface Anvil {
  readonly rpcUrl: string
  /** Ends the process and waits until it has exited. Safe to call twice. */
  readonly stop: () => Promise<void>
}

const startTimeoutMillis = 15_000
/** Above the time after which the shell kills anvil and removes its states. */
const stopTimeoutMillis = 10_000

/*
 * Anvil runs below a small shell that holds our end of a pipe. When this process ends, even by SIGKILL, the
 * pipe closes and the shell ends anvil, so no chain outlives its parent process. Nor do the states of old blocks
 * that anvil writes to disk, gigabytes in an hour: it leaves them when it is ended by a signal.
 */
const supervisor = `
exec 3<&0
states=$(mktemp -d -t till402-chain-XXXXXX) || exit 1
"$@" --cache-path="$states" </dev/null 3<&- &
anvil=$!
(while read -r _ <&3; do :; done; kill "$anvil"; sleep 4; kill -9 "$anvil") >/dev/null 2>&1 &
owner=$!
wait "$anvil"
code=$?
kill "$owner" 2>/dev/null
rm -rf "$states"
exit "$code"
`

/**
 * Starts anvil on the loopback interface. With port 0, anvil binds a free port itself and reports it, so no
 * other process can take it in between.
 *
 * @throws Error if anvil is missing, exits, or does not listen within 15 seconds.
 */
export const startAnvil = async (options: {
  readonly chainId: number
  readonly port: number
  /** Seconds between blocks, in addition to one block per transaction; 0 for none. */
  readonly blockSeconds: number
}): Promise<Anvil> => {
  const child: AnvilChild = spawn(
    "/bin/sh",
    [
      "-c",
      supervisor,
      "anvil",
      anvilBinary(),
      "--host=127.0.0.1",
      // Websites could otherwise read and move the chain.
      "--no-cors",
      `--port=${options.port}`,
      `--chain-id=${options.chainId}`,
      ...(options.blockSeconds === 0 ? [] : [`--block-time=${options.blockSeconds}`, "--mixed-mining"])
    ],
    // Runs in its own process group, so that Ctrl-C reaches only this process and calls in flight can settle
    // first.
    { stdio: ["pipe", "pipe", "pipe"], detached: true }
  )
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  // The pipe breaks if anvil exits by itself; `exit` reports that.
  child.stdin.on("error", () => undefined)

  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.stdin.end()
    const deadline = setTimeout(() => killGroup(child), stopTimeoutMillis)
    await exited
    clearTimeout(deadline)
  }

  try {
    const port = await listeningPort(child)
    return { rpcUrl: `http://127.0.0.1:${port}`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const killGroup = (child: AnvilChild): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch (error) {
    // Already exited.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Reads anvil's output until it reports its port; later output is discarded. */
const listeningPort = (child: AnvilChild): Promise<number> =>
  new Promise((resolve, reject) => {
    let output = ""
    let complaint = ""
    const deadline = setTimeout(
      () => fail(`did not listen within ${startTimeoutMillis / 1000} seconds`),
      startTimeoutMillis
    )
    const settle = () => {
      clearTimeout(deadline)
      child.stdout.removeListener("data", read)
      child.stderr.removeListener("data", readComplaint)
      child.removeListener("error", onError)
      child.removeListener("exit", onExit)
      // A full pipe would block anvil.
      child.stdout.resume()
      child.stderr.resume()
      child.on("error", () => undefined)
    }
    const fail = (reason: string, cause?: unknown) => {
      settle()
      const output = complaint.trim().split("\n").slice(0, 5).join("\n")
      reject(new Error(`The local chain ${reason}.${output === "" ? "" : `\n${output}`}`, { cause }))
    }
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const port = /Listening on \S+:(\d+)/.exec(output)?.[1]
      if (port === undefined) return
      settle()
      resolve(Number(port))
    }
    const readComplaint = (chunk: Buffer) => {
      complaint = (complaint + chunk.toString()).slice(0, 4_096)
    }
    const onError = (error: Error) => fail("could not be started", error)
    const onExit = (code: number | null) => fail(`ended at once (exit code ${code ?? "none"})`)
    child.stdout.on("data", read)
    child.stderr.on("data", readComplaint)
    child.once("error", onError)
    child.once("exit", onExit)
  })
