import { Effect } from "effect"
import type { HttpSettings } from "../../src/http/HttpSettings.ts"
import type { AnyOperation, ApiEndpoint, OperationDocuments } from "../../src/operations/Operation.ts"

/** What the sample's documents say. */
export const documents: OperationDocuments = {
  description: "Weather of a city",
  mimeType: "application/json",
  example: { input: {}, output: {} }
}

/** An operation with this endpoint for one cent, whose work is never done. */
export const operationOf = (
  endpoint: ApiEndpoint,
  changes: Partial<Omit<AnyOperation, "endpoint">> = {}
): AnyOperation => ({
  endpoint,
  documents,
  price: { _tag: "Fixed", atomic: 10_000n },
  response: { replayMillis: 60_000 },
  work: () => Effect.die("no work is expected"),
  ...changes
})

/** Settings below `/api`, on one test network. */
export const settings: HttpSettings = {
  baseUrl: "https://shop.example/api",
  prefix: "/api",
  networks: [
    {
      family: "evm",
      caip2: "eip155:84532",
      v1Name: "base-sepolia",
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      eip712: { name: "USDC", version: "2" },
      payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
    }
  ],
  maxTimeoutSeconds: 120,
  trustFacilitator: true,
  proofAbove: 1_000_000n,
  upstreamTimeoutMillis: 30_000,
  limits: { quotesPerMinute: 600, quotesPerClientPerMinute: 60 },
  openapiPath: "/openapi.json",
  discoveryPath: "/.well-known/x402",
  statusPath: "/x402-status",
  publicRoutes: new Map(),
  clientAddress: undefined,
  cors: "*"
}
