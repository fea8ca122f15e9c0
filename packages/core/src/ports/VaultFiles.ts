import { Context, type Effect } from "effect"
import type { UpstreamError } from "../domain/Errors.ts"

/** A ZIP archive ready to be sent. */
export interface VaultFile {
  readonly body: ReadableStream<Uint8Array> | Uint8Array
  /** Bytes, where known: sent as `Content-Length`. */
  readonly size?: number
}

/** Opens the archive of a vault item. */
export class VaultFiles extends Context.Service<
  VaultFiles,
  { readonly open: (item: { readonly slug: string }) => Effect.Effect<VaultFile, UpstreamError> }
>()("@till402/core/VaultFiles") {}
