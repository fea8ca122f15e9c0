/*
 * Test tools for hosts and for this package: scripted providers, sample values and the store contract. They work with
 * any test framework.
 */
export * from "./archive.ts"
export * from "./fakeFacilitator.ts"
export * from "./fakes.ts"
export * from "./fulfilmentTests.ts"
export * from "./samples.ts"
export * from "./scripted.ts"
export * from "./storeContract.ts"
export * from "./storeTests.ts"
