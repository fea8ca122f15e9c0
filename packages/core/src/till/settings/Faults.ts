import { ConfigurationError } from "../../domain/Errors.ts"

/** Returns the name of an option as the host wrote it. `network` names the entry of `networks` that contains it. */
export type OptionNames = (path: string, network?: string) => string

/** Names as in `Till.make({ … })`, where older secrets are in the list of `secret`. */
const optionNames: OptionNames = (path, network) => {
  if (path === "olderSecrets") return "secret"
  return network === undefined ? path : `${path} of ${network}`
}

/** Collects the faults of options, so that one error lists them all. */
export class Faults {
  readonly #texts: Array<string> = []
  readonly nameOf: OptionNames

  constructor(nameOf: OptionNames = optionNames) {
    this.nameOf = nameOf
  }

  get texts(): ReadonlyArray<string> {
    return this.#texts
  }

  add(text: string): void {
    this.#texts.push(text)
  }

  /** Reports a value other than `expected`. The message contains the value: never use it for secrets. */
  wrong(path: string, expected: string, given: unknown, network?: string): void {
    this.add(
      `${this.nameOf(path, network)} must be ${expected}: ${given === undefined ? "it is not set" : `got ${shown(given)}`}`
    )
  }

  /** The error that lists all faults, or `undefined`. */
  error(): ConfigurationError | undefined {
    if (this.#texts.length === 0) return undefined
    return new ConfigurationError({ message: `Till402 can't start: ${listed(this.#texts)}` })
  }
}

/** Joins texts: one is inline, several are on a line each. */
export const listed = (texts: ReadonlyArray<string>): string =>
  texts.length === 1 ? String(texts[0]) : `\n${texts.map((text) => `- ${text}`).join("\n")}`

/**
 * Runs checks and returns their result.
 *
 * @throws ConfigurationError that lists every fault they reported
 */
export const orThrow = <A>(check: (faults: Faults) => A): A => {
  const faults = new Faults()
  const checked = check(faults)
  const error = faults.error()
  if (error !== undefined) throw error
  return checked
}

const shownLength = 80

/** Formats a value for a message: short, and without the contents of objects. */
export const shown = (value: unknown): string => {
  if (typeof value === "string") {
    return JSON.stringify(value.length > shownLength ? `${value.slice(0, shownLength)}…` : value)
  }
  if (typeof value === "function") return "a function"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
