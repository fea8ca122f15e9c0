import type { VaultOptions } from "@till402/core"
import { folderStorage, vaultOver } from "@till402/vault"
import { s3Storage } from "@till402/vault/s3"
import { type Environment, missing, type Part, valueOf } from "./environment.ts"

/*
 * The vault: its files are in a folder or in a bucket. The command `till402 vault` reads the same variables.
 */

export const vaultFrom = (environment: Environment): Part<VaultOptions> => {
  const files = valueOf(environment, "TILL_FILES")
  const accessKeyId = valueOf(environment, "AWS_ACCESS_KEY_ID")
  const secretAccessKey = valueOf(environment, "AWS_SECRET_ACCESS_KEY")
  const region = valueOf(environment, "AWS_REGION")
  if (files === undefined) return missing("vault", "TILL_FILES", "there are no routes below /x402/vault")
  if (!/^https?:\/\//.test(files)) {
    return { port: vaultOver(folderStorage(files)), line: "vault: files in a folder." }
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return missing("vault", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "its bucket can't be read")
  }
  return {
    port: vaultOver(
      s3Storage({
        bucket: files,
        accessKeyId,
        secretAccessKey,
        ...(region === undefined ? {} : { region })
      })
    ),
    line: "vault: files in a bucket."
  }
}
