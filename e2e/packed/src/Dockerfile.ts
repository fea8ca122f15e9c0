import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/*
 * Follows the Dockerfile of an app in an empty folder: the same commands in the same order, with the files that it copies
 * and nothing else. No image is built: the base image, its user and its volume aren't tried.
 */

/** How long a command may take on a busy machine. */
const commandMillis = 15 * 60_000

interface Image {
  /** Stands for the root of the image. */
  readonly root: string
  readonly context: string
  readonly env: NodeJS.ProcessEnv
  folder: string
}

/** An absolute path of the image, in its folder. */
const within = ({ folder, root }: Image, path: string): string =>
  path.startsWith("/") ? join(root, path) : join(folder, path)

const copy = (image: Image, text: string): void => {
  const paths = text.split(" ")
  const target = within(image, paths.pop()!)
  for (const file of paths.flatMap((path) => globSync(path, { cwd: image.context }))) {
    const source = join(image.context, file)
    cpSync(source, statSync(source).isDirectory() ? target : join(target, basename(file)), {
      recursive: true
    })
  }
}

/** Runs a command to its end. Its user and the user's rights are those of this process. */
const runIn = async (image: Image, command: string): Promise<void> => {
  const own = command.replaceAll(/(?<= )\/data\b/g, join(image.root, "data"))
  const child = spawn("sh", ["-c", `chown() { :; }; ${own}`], {
    cwd: image.folder,
    env: image.env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: commandMillis
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`RUN ${command} ended with ${String(code)}\n${output}`)
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    ({ status }) => status,
    () => 0
  )

/** Starts what the image starts, with these settings, until it responds; returns the status of an unpaid call. */
const serve = async (image: Image, command: ReadonlyArray<string>, port: number): Promise<number> => {
  const [program, ...args] = command
  const child = spawn(program!, args, {
    cwd: image.folder,
    env: image.env,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = once(child, "exit")
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  try {
    const deadline = performance.now() + commandMillis
    while ((await statusOf(`http://localhost:${port}/health`)) !== 200) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`${command.join(" ")} doesn't serve\n${output}`)
      await sleep(200)
    }
    return await statusOf(`http://localhost:${port}/x402/search?q=desk`)
  } finally {
    child.kill("SIGTERM")
    const killing = setTimeout(() => child.kill("SIGKILL"), 45_000)
    await ended
    clearTimeout(killing)
  }
}

/**
 * Follows each line of a Dockerfile in an app's folder, then starts what it starts, with the settings of `docker run --env-file`.
 *
 * @throws Error if a command fails, the app doesn't request a payment, or its database isn't in the volume
 */
export const followDockerfile = async (
  context: string,
  root: string,
  given: NodeJS.ProcessEnv,
  settings: NodeJS.ProcessEnv
): Promise<void> => {
  const image: Image = { root, context, env: { ...given }, folder: root }
  let command: ReadonlyArray<string> = []
  for (const line of readFileSync(join(context, "Dockerfile"), "utf8").split("\n")) {
    const [, word = "", text = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (word === "WORKDIR") mkdirSync((image.folder = within(image, text)), { recursive: true })
    if (word === "COPY") copy(image, text)
    if (word === "RUN") await runIn(image, text)
    if (word === "CMD") command = JSON.parse(text)
    if (word === "ENV")
      for (const pair of text.split(" ")) {
        const [name = "", value = ""] = pair.split("=")
        image.env[name] = value.startsWith("/data") ? join(root, value) : value
      }
  }
  const served: Image = { ...image, env: { ...image.env, ...settings } }
  const status = await serve(served, command, Number(served.env["PORT"]))
  if (status !== 402) throw new Error(`the app of the Dockerfile returned ${status}`)
  if (!existsSync(join(root, "data", "till.sqlite"))) throw new Error("the database isn't in the volume")
}
