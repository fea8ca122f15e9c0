export { s3Storage, type S3Options } from "./s3Storage.ts"
