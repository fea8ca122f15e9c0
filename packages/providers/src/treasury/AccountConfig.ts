import { Config, Effect, Redacted } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import type { SettingReaders } from "../upstream/index.ts"
import type { Hex } from "./Hex.ts"

const isPrivateKey = (text: string): text is Hex => /^0x[0-9a-fA-F]{64}$/.test(text)

/** Reads the account whose private key is in a variable. The error never contains the key. */
export const accountFromConfig = Effect.fnUntraced(function* (name: string, read: SettingReaders) {
  const key = Redacted.value(yield* Config.Redacted(name))
  return isPrivateKey(key)
    ? privateKeyToAccount(key)
    : yield* read.invalid(`${name} must be 0x and 64 hexadecimal digits`)
})
