import type { PublicRoute } from "./HttpMessage.ts"
import type { Cors } from "./Responses.ts"
import type { WithdrawnNetworks } from "./WithdrawnNetworks.ts"

/** A network for payments, as the 402 offers it. */
export interface OfferedNetwork {
  readonly caip2: string
  /** `undefined`: the network isn't listed in the version-1 body. */
  readonly v1Name: string | undefined
  readonly asset: string
  readonly eip712: { readonly name: string; readonly version: string }
  readonly payTo: string
}

/** The till's settings that HTTP depends on. */
export interface HttpSettings {
  /** Public address of the mount, without a trailing slash. */
  readonly baseUrl: string
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: string
  readonly networks: ReadonlyArray<OfferedNetwork>
  /** Of these networks, those that aren't offered at present. */
  readonly withdrawn?: WithdrawnNetworks | undefined
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
