import { afterAll, beforeAll, describe, it } from "vitest"
import { type S3Options, s3Storage } from "@till402/vault/s3"
import { storageTests } from "@till402/vault/testing"
import { bucketCases, largeCase } from "./bucketCases.ts"
import { missingPrograms, startSwift } from "./swift.ts"

/** The bucket that the environment names. */
const named = (): S3Options | undefined => {
  const { S3_TEST_BUCKET: bucket, S3_TEST_REGION: region = "us-east-1", ...keys } = process.env
  const { S3_TEST_ACCESS_KEY: accessKeyId = "", S3_TEST_SECRET_KEY: secretAccessKey = "" } = keys
  return bucket === undefined ? undefined : { bucket, region, accessKeyId, secretAccessKey }
}

const missing = named() === undefined ? missingPrograms() : []
if (missing.length > 0)
  console.info(
    `s3Storage isn't tested on a real S3 server: S3_TEST_BUCKET isn't set, and Swift isn't installed (${missing.join(", ")}).`
  )

describe.skipIf(missing.length > 0)("s3Storage, on a real S3 server", () => {
  let place: S3Options
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    const bucket = named()
    if (bucket !== undefined) {
      place = bucket
      return
    }
    const swift = await startSwift()
    place = swift.place
    stop = swift.stop
  })
  afterAll(() => stop())

  it.each(storageTests(() => s3Storage(place)))("$name", ({ run }) => run())
  bucketCases(() => place)
  largeCase(() => place, 64)
})
