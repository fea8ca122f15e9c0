import { Predicate } from "effect"
import { type Address, isAddress } from "@solana/kit"
import { type DataSlice, type Encoding } from "./RpcJson.ts"

/** An error of JSON-RPC, with the codes of Solana nodes. */
export class RpcError extends Error {
  override readonly name = "RpcError"
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (what: string): RpcError => new RpcError(-32602, `Invalid params: ${what}`)

/** Reads the parameters of a call by position, and the options after them by name. */
export class RpcParams {
  readonly #params: ReadonlyArray<unknown>

  constructor(params: ReadonlyArray<unknown>) {
    this.#params = params
  }

  text(index: number): string {
    const value = this.#params[index]
    if (typeof value !== "string") throw invalidParams(`parameter ${index} must be a string.`)
    return value
  }

  wholeNumber(index: number): bigint {
    const value = this.#params[index]
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
      throw invalidParams(`parameter ${index} must be a whole number.`)
    }
    return BigInt(value)
  }

  address(index: number): Address {
    return toAddress(this.#params[index])
  }

  list(index: number, atMost: number): ReadonlyArray<unknown> {
    const value = this.#params[index]
    if (!Array.isArray(value) || value.length > atMost) {
      throw invalidParams(`parameter ${index} must be a list of at most ${atMost}.`)
    }
    return value
  }

  options(index: number): RpcOptions {
    const value = this.#params[index] ?? {}
    if (!Predicate.isObject(value)) throw invalidParams(`parameter ${index} must be an object.`)
    return new RpcOptions(value)
  }
}

const encodings: ReadonlyArray<Encoding> = ["base58", "base64", "json", "jsonParsed"]

/** The options of a call, the last of its parameters. */
export class RpcOptions {
  readonly #options: Readonly<Record<string, unknown>>

  constructor(options: Readonly<Record<string, unknown>>) {
    this.#options = options
  }

  /** `true` only if it is given as `true`. */
  flag(name: string): boolean {
    return this.#options[name] === true
  }

  has(name: string): boolean {
    return this.#options[name] !== undefined && this.#options[name] !== null
  }

  text(name: string): string | undefined {
    const value = this.#options[name]
    if (value === undefined || value === null) return undefined
    if (typeof value !== "string") throw invalidParams(`${name} must be a string.`)
    return value
  }

  address(name: string): Address | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : toAddress(value)
  }

  wholeNumber(name: string, otherwise: number): number {
    const value = this.#options[name] ?? otherwise
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
      throw invalidParams(`${name} must be a whole number.`)
    }
    return value
  }

  encoding(otherwise: Encoding, allowed: ReadonlyArray<Encoding> = encodings): Encoding {
    const value = this.text("encoding") ?? otherwise
    const found = allowed.find((encoding) => encoding === value)
    if (found === undefined) throw invalidParams(`encoding must be one of ${allowed.join(", ")}.`)
    return found
  }

  /** Encoding of a transaction that is sent or simulated; base58 unless it is given. */
  get wireEncoding(): "base58" | "base64" {
    return this.encoding("base58", ["base58", "base64"]) === "base64" ? "base64" : "base58"
  }

  get slice(): DataSlice | undefined {
    const value = this.#options["dataSlice"]
    if (!Predicate.isObject(value)) return undefined
    const slice = new RpcOptions(value)
    return { offset: slice.wholeNumber("offset", 0), length: slice.wholeNumber("length", 0) }
  }

  /**
   * Refuses the call if the chain has not reached `minContextSlot`.
   *
   * @throws RpcError -32016
   */
  requireSlot(slot: bigint): void {
    if (this.wholeNumber("minContextSlot", 0) > Number(slot)) {
      throw new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot: Number(slot) })
    }
  }

  /** Whether only final blocks count, which is the default of Solana's RPC. */
  get finalizedOnly(): boolean {
    return (this.text("commitment") ?? "finalized") === "finalized"
  }
}

export const toAddress = (value: unknown): Address => {
  if (typeof value !== "string" || !isAddress(value)) throw invalidParams("expected an address in base58.")
  return value
}
