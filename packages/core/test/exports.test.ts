import { assert, describe, expect, it } from "vitest"
import * as core from "@till402/core"
import * as forEffect from "@till402/core/effect"
import * as node from "@till402/core/node"
import * as sqlite from "@till402/core/sqlite"
import * as testing from "@till402/testing"

/*
 * The public names. One that goes or is renamed breaks a host: it belongs in a major version.
 */

const plain = [
  "AdditionalFieldRequired",
  "AddressNotServed",
  "ApiFailure",
  "CarrierNotDetected",
  "ConfigurationError",
  "InvalidCarrier",
  "InvalidTrackingNumber",
  "ListingRejected",
  "MailRejected",
  "NoTrackingInfo",
  "NotPlaced",
  "PlacementRefused",
  "ProductNotFound",
  "ProductUnavailable",
  "StoreError",
  "TemporarilyUnavailable",
  "Till",
  "UpstreamFailed",
  "UpstreamUnavailable",
  "conditionalHeaders",
  "defaultTemplates",
  "memory",
  "operation",
  "queryTermsOf",
  "readListing",
  "routeFulfilment",
  "sameListing",
  "searchTermsOf",
  "searchVault",
  "storageFrom",
  "withOuterHeaders",
  "withoutOuterHeaders"
]

const entries: ReadonlyArray<readonly [string, object, ReadonlyArray<string>]> = [
  ["@till402/core", core, plain],
  [
    "@till402/core/effect",
    forEffect,
    [
      ...plain,
      "Api",
      "ApiError",
      "ArchiveFacts",
      "Assistant",
      "BodyTooLarge",
      "BoundedMap",
      "Buy",
      "BuyRequest",
      "BuyResponse",
      "Catalogue",
      "Chain",
      "ChainRpc",
      "ChargeOperator",
      "Charges",
      "Endpoints",
      "EvmPaymentPayload",
      "Facilitator",
      "Fulfilment",
      "KeyOperator",
      "LedgerOperator",
      "Mailer",
      "Marketplaces",
      "Money",
      "Operation",
      "OrderOperator",
      "Orders",
      "PaymentOption",
      "PaymentRequired",
      "Product",
      "Quotes",
      "RefundOperator",
      "Search",
      "SearchProduct",
      "SearchQuery",
      "SearchResponse",
      "ShippingAddress",
      "Shop",
      "ShopRequest",
      "ShopResponse",
      "StoreClock",
      "TillClients",
      "TillRoutes",
      "Track",
      "TrackQuery",
      "TrackResult",
      "Tracker",
      "VaultBuy",
      "VaultBuyRequest",
      "VaultDownload",
      "VaultFiles",
      "VaultItem",
      "VaultItems",
      "VaultListing",
      "VaultOperator",
      "VaultPage",
      "VaultPurchaseResponse",
      "VaultPurchases",
      "VaultQuery",
      "VaultSearch",
      "closestName",
      "domainSeparator",
      "equalInConstantTime",
      "findEvmNetwork",
      "findNetwork",
      "judgeSignature",
      "layerSql",
      "migrateTables",
      "migrationStatus",
      "networks",
      "openApiDocument",
      "openDoorCheck",
      "readBodyText",
      "readBytes",
      "readRpcReply",
      "reportAssistantUsage",
      "rpcCall",
      "schemaSql",
      "settledChargeOf",
      "tillConfig",
      "tillConfigWithFacilitator",
      "toBase58",
      "withoutUnsetKeys"
    ]
  ],
  [
    "@till402/core/node",
    node,
    [
      "BodyInterrupted",
      "HeldResponse",
      "bodyOf",
      "cancelBody",
      "incoming",
      "malformedTarget",
      "replaceHeaders",
      "responseHeaders",
      "runPriced",
      "targetOf",
      "toRequest",
      "writeHead",
      "writeResponse"
    ]
  ],
  ["@till402/core/sqlite", sqlite, ["sqlite", "sqliteClient"]],
  [
    "@till402/testing",
    testing,
    [
      "FulfilmentContractViolation",
      "StoreContractViolation",
      "chargeCases",
      "chargeRestartCases",
      "fakeAssistant",
      "fakeFacilitator",
      "fakeFulfilment",
      "fakeMailer",
      "fakeMarketplace",
      "fakeTracker",
      "fakeVaultFiles",
      "fulfilmentTests",
      "sampleArchive",
      "sampleProduct",
      "sampleProducts",
      "restartCases",
      "restartedModelCase",
      "sampleTrackResult",
      "scripted",
      "storeCases",
      "storeModelCase",
      "storeTests"
    ]
  ]
]

describe("public names", () => {
  it.each(entries)("of %s", (_, entry, names) => {
    expect(Object.keys(entry).sort()).toEqual([...names].sort())
  })
})

describe("errors that a host throws", () => {
  const errors = Object.entries(core).filter(([name]) => /^[A-Z]/.test(name) && name !== "Till")
  it.each(errors)("%s is known by its _tag", (name, exported) => {
    assert(typeof exported === "function")
    const error: unknown = Reflect.construct(exported, [{ message: "why" }])
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ _tag: name, name })
  })
})

it("a till has the promised members, and no other", () => {
  const till = core.Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: testing.fakeFacilitator(),
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: core.memory(),
    tracker: testing.fakeTracker()
  })
  const members = [
    "charges",
    "check",
    "dispose",
    "dnsRecord",
    "fetch",
    "handle",
    "handles",
    "health",
    "isLive",
    "isReady",
    "keys",
    "ledger",
    "orders",
    "payments",
    "price",
    "ready",
    "reconcile",
    "refunds",
    "settings",
    "vault"
  ]
  expect(Object.keys(till).sort()).toEqual(members)
  return till.dispose()
})
