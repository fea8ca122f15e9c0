/*
 * Prints what each road of the documents takes, from an empty folder to a paid call: npm run road [-- NAME…]
 */
import { prepare, roadNames } from "./src/Road.ts"

const wanted = process.argv.slice(2)
const missing = wanted.find((part) => !roadNames.some((name) => name.includes(part)))
const chosen = roadNames.filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
if (missing !== undefined) {
  process.stderr.write(`There is no road "${missing}". These are there:\n\n  ${roadNames.join("\n  ")}\n`)
  process.exit(2)
}
const { stop, travel } = await prepare()
process.once("exit", stop)
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))
process.stdout.write(`${"road".padEnd(32)}${"steps".padStart(6)}${"minutes".padStart(9)}  paid\n`)
for (const road of chosen) {
  try {
    const { minutes, paid, steps } = await travel(road)
    const calls = paid.map((hash) => `${hash.slice(0, 10)}…`).join(" ")
    process.stdout.write(
      `${road.padEnd(32)}${String(steps).padStart(6)}${minutes.toFixed(1).padStart(9)}  ${calls || "nothing"}\n`
    )
    if (calls === "") process.exitCode = 1
  } catch (error) {
    process.stdout.write(`${road.padEnd(32)}  failed\n`)
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
stop()
