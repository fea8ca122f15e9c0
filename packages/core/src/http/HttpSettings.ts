import type { ListedResource } from "../toll/facilitator/FacilitatorVerdicts.ts"
import type { ServiceIdentity } from "../domain/PaymentRequired.ts"
import type { FeePayers } from "../toll/exact/FeePayers.ts"
import type { CallSettings } from "../ports/ProviderFailure.ts"
import type { PublicRoute } from "./HttpMessage.ts"
import type { Cors } from "./Responses.ts"
import type { UnreadNetworks, WithdrawnNetworks } from "./WithdrawnNetworks.ts"
import type { WrongClock } from "./WrongClock.ts"

interface OfferedTerms {
  readonly caip2: string
  /** `undefined`: the network isn't listed in the version-1 body. */
  readonly v1Name: string | undefined
  readonly asset: string
  readonly payTo: string
  /** `undefined`: its chain can't be read. */
  readonly rpcUrl?: string | undefined
}

/** A network for payments, as the 402 offers it. */
export type OfferedNetwork =
  | (OfferedTerms & {
      readonly family: "evm"
      readonly eip712: { readonly name: string; readonly version: string }
    })
  | (OfferedTerms & {
      readonly family: "solana"
      readonly tokenAccount: string
      readonly tokenProgram: string
      /** Empty until the facilitator names them; until then the network isn't offered. */
      readonly feePayers: FeePayers
    })

/** The till's settings that HTTP depends on. */
export interface HttpSettings {
  /** Public address of the mount, without a trailing slash. */
  readonly baseUrl: string
  /** Path of `baseUrl`: `""` or `"/api"`. */
  readonly prefix: string
  readonly networks: ReadonlyArray<OfferedNetwork>
  /** Of these networks, those that aren't offered at present. */
  readonly withdrawn?: WithdrawnNetworks | undefined
  /** Of these networks, those whose chain can't be read at present: what needs its proof isn't offered there. */
  readonly unread?: UnreadNetworks | undefined
  /** Whether nothing is sold, because the till's clock is wrong. */
  readonly wrongClock?: WrongClock | undefined
  /** Receives how facilitators list each operation, by its id. */
  readonly listedResources?: Map<string, ListedResource> | undefined
  /** How indexes show the service. */
  readonly service?: ServiceIdentity | undefined
  readonly maxTimeoutSeconds: number
  readonly trustFacilitator: boolean
  /** Atomic units: a larger payment counts only once the chain shows it, where its operation says nothing else. */
  readonly proofAbove: bigint
  readonly upstreamTimeoutMillis: number
  /** A request with any field that its route doesn't have is refused. */
  readonly refuseUnknownFields?: boolean | undefined
  readonly limits: { readonly quotesPerMinute: number; readonly quotesPerClientPerMinute: number }
  /** Who answers questions, for the documents. */
  readonly support?: string | undefined
  readonly openapiPath: string | undefined
  readonly discoveryPath: string | undefined
  readonly llmsPath?: string | undefined
  /** Path below which the status pages are. */
  readonly statusPath: string | undefined
  readonly publicRoutes: ReadonlyMap<string, PublicRoute>
  readonly clientAddress: ((request: Request) => string | undefined) | undefined
  /** Receives the errors of that function. */
  readonly onError?: CallSettings["onError"]
  readonly cors: Cors
}
