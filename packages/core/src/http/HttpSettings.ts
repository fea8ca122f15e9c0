import type { PublicRoute } from "./HttpMessage.ts"
import type { Cors } from "./Responses.ts"

/** A network on which calls are paid, as the 402 offers it. */
export interface OfferedNetwork {
  readonly caip2: string
  /** `undefined`: the version-1 body names no such network. */
  readonly v1Name: string | undefined
  readonly asset: string
  readonly eip712: { readonly name: string; readonly version: string }
  readonly payTo: string
}

/** The settings of a till that HTTP depends on. */
export interface HttpSettings {
  /** Public address of the mount, without a slash at its end. */
  readonly baseUrl: string
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: string
  readonly networks: ReadonlyArray<OfferedNetwork>
  readonly maxTimeoutSeconds: number
  readonly trustFacilitator: boolean
  readonly upstreamTimeoutMillis: number
  readonly quotesPerMinute: number
  readonly quotesPerClientPerMinute: number
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  readonly publicRoutes: ReadonlyMap<string, PublicRoute>
  readonly clientAddress: ((request: Request) => string | undefined) | undefined
  readonly cors: Cors
}
