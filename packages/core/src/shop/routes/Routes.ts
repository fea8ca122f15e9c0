/*
 * The routes of the contract: the one list of them. The API and its ids derive from it, a till must serve each, and hosts
 * with Effect get them from here. A route that is missing in one of these places doesn't compile.
 */
export * as Search from "./Search.ts"
export * as Shop from "./Shop.ts"
export * as Buy from "./Buy.ts"
export * as Track from "./Track.ts"
export * as VaultSearch from "./VaultSearch.ts"
export * as VaultBuy from "./VaultBuy.ts"
export * as VaultDownload from "./VaultDownload.ts"
