/*
 * For tests, of this package and of hosts: scripted providers and values to answer with. Needs no test
 * framework.
 */
export * from "./archive.ts"
export * from "./fakeFacilitator.ts"
export * from "./fakes.ts"
export * from "./samples.ts"
export * from "./scripted.ts"
export * from "./storeContract.ts"
export * from "./storeTests.ts"
