import { parseAtomic } from "../../domain/Money.ts"
import { type Faults, isRecord } from "./Faults.ts"
import {
  type BoundedNumberPath,
  type DollarsPath,
  type MountPathOption,
  type NumberPath,
  boundText,
  optionBounds
} from "./OptionBounds.ts"

const valueAt = (settings: unknown, path: string, fallback?: unknown): unknown => {
  const value = path
    .split(".")
    .reduce<unknown>((group, name) => (isRecord(group) ? group[name] : undefined), settings)
  return value === undefined ? fallback : value
}

/** Checks a whole number against its bounds. */
export const readNumber = (
  path: BoundedNumberPath,
  given: unknown,
  fallback: number,
  faults: Faults,
  network?: string
): number => {
  const { maximum, minimum, unit } = optionBounds[path]
  const value = given === undefined ? fallback : given
  if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum)
    return value
  faults.wrong(
    path.replace("networks[].", ""),
    `a whole number of ${unit} from ${boundText(minimum, unit)} to ${boundText(maximum, unit)}`,
    given,
    network
  )
  return fallback
}

/** Reads options by path: checks them against their bounds and completes them with their defaults. */
export class SettingsReader {
  readonly #settings: unknown
  readonly #faults: Faults

  constructor(settings: unknown, faults: Faults) {
    this.#settings = settings
    this.#faults = faults
  }

  number(path: NumberPath): number {
    return readNumber(path, valueAt(this.#settings, path), optionBounds[path].default, this.#faults)
  }

  /** Dollars as decimal text. Returns the default's text if the option is wrong. */
  dollars(path: DollarsPath): string {
    const bound = optionBounds[path]
    const given = valueAt(this.#settings, path, bound.default)
    const atomic = typeof given === "string" ? parseAtomic(given) : undefined
    const isRight = atomic !== undefined && (atomic > 0n || bound.minimum === "zero")
    if (isRight && typeof given === "string") return given
    const expected = bound.minimum === "zero" ? "a decimal text" : "a decimal text above zero"
    this.#faults.wrong(path, `${expected} in dollars, e.g. "${bound.default}"`, given)
    return bound.default
  }

  atomic(path: DollarsPath): bigint {
    return parseAtomic(this.dollars(path)) ?? 0n
  }

  path(path: MountPathOption): string | undefined {
    const { default: fallback } = optionBounds[path]
    const given = valueAt(this.#settings, path, fallback)
    if (given === false) return undefined
    if (typeof given === "string" && isMountPath(given)) return given
    this.#faults.wrong(path, `a path such as ${fallback}, outside /x402, or false`, given)
    return fallback
  }

  boolean(path: "trustFacilitator"): boolean {
    const given = valueAt(this.#settings, path, false)
    if (typeof given === "boolean") return given
    this.#faults.wrong(path, "true or false", given)
    return false
  }
}

export const isMountPath = (path: string): boolean =>
  /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path) && !path.startsWith("/x402/")
