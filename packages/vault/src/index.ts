export { type ArchiveFile, defaultZipLimits, type ZipLimits } from "./archive/ZipLimits.ts"
export {
  type Prepared,
  prepare,
  publish,
  type Published,
  publishPrepared,
  type PublishOptions,
  type Shelf
} from "./Publishing.ts"
export { ArchiveMismatch, type ArchiveStorage, type LinkingStorage } from "./storage/ArchiveStorage.ts"
export { folderStorage } from "./storage/folderStorage.ts"
export { memoryStorage } from "./storage/memoryStorage.ts"
export { redirectingVault, vaultOver } from "./storage/vaultOver.ts"
