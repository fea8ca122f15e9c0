export { StorageContractViolation, type StorageTest, storageTests } from "./storageTests.ts"
