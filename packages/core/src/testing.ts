/*
 * Test tools for hosts and for this package: scripted providers, sample values and the store contract. They work with
 * any test framework.
 */
export * from "./testing/archive.ts"
export * from "./testing/fakeFacilitator.ts"
export * from "./testing/fakes.ts"
export * from "./testing/fulfilmentTests.ts"
export * from "./testing/samples.ts"
export * from "./testing/scripted.ts"
export * from "./testing/storeContract.ts"
export * from "./testing/storeTests.ts"
