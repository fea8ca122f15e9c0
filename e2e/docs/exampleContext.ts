/*
 * Names that the examples in the sources' comments may use: everything that the packages export, and a few of the
 * reader's own values. Add a name here if a new example needs it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type CallContext, type Stores, type TillOptions, type TillSettings } from "@till402/core/effect"
import { Money } from "@till402/core/effect"
import type { ProductPage, Till as RunningTill, TrackResult } from "@till402/core"
import type { Sandbox, Wallet } from "@till402/sandbox"
import type { VaultListing } from "@till402/core"
import type { ArchiveStorage } from "@till402/vault"
import type { Layer } from "effect"

export * from "@till402/console"
export * from "@till402/telemetry"
export * from "@till402/telemetry/traces"
export * from "@till402/core/effect"
export * from "@till402/core/node"
export * from "@till402/core/postgres"
export * from "@till402/core/sqlite"
export * from "@till402/testing"
export { Chain } from "@till402/core/effect"
export * from "@till402/sandbox"
export * from "@till402/sandbox/solana"
export * from "@till402/vault"
export * from "@till402/vault/s3"
export * from "@till402/vault/testing"
export { catalogue } from "../../packages/sandbox/src/shop/Catalogue.ts"
export { marketplace } from "../../packages/sandbox/src/shop/Marketplace.ts"
export { fromMinor } from "../../packages/providers/src/shopify/MinorUnits.ts"
export { SortedSet } from "../../packages/core/src/runtime/SortedSet.ts"
export { causeName } from "../../packages/core/src/runtime/causeName.ts"
export { Effect } from "effect"
export { default as express } from "express"
export { Hono } from "hono"
export { default as Koa } from "koa"

export const { format, usd } = Money
export declare const till: RunningTill
export declare const options: TillOptions
export declare const listing: VaultListing
export declare const storage: ArchiveStorage
export declare const settings: TillSettings
export declare const context: CallContext
export declare const request: IncomingMessage & { readonly url: string }
export declare const response: ServerResponse
export declare const refusedConnection: Error
export declare const sandbox: Sandbox
export declare const wallet: Wallet
export declare const lookUp: (number: string) => Promise<TrackResult>
export declare const fetchProducts: (q: string, page: number, signal: AbortSignal) => Promise<ProductPage>
export declare const myStores: () => Layer.Layer<Stores>
export declare const test: (name: string, run: () => Promise<unknown>) => void
